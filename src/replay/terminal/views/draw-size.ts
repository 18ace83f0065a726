/** Smaller than this, nothing useful fits. */
export const SIZE_MIN = { columns: 60, rows: 15 } as const;
