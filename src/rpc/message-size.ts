/** Bytes of a message, both ways: what gRPC clients take by default. */
export const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;
