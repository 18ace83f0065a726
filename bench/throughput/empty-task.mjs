// A task of piscina that does nothing.
export default (batch) => batch.map(({ sql }) => ({ text: sql }));
