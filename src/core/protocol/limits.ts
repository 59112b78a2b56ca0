/** The largest frame and the largest request body that a server reads, in bytes. */
export const frameBytesMax = 1024 * 1024;
/** How deep JSON from outside may nest. */
export const jsonDepthMax = 64;
/** How many values JSON from outside may hold in all. */
export const jsonValuesMax = 100_000;
/** The longest message, title and canvas that a command carries, in UTF-16 units. */
export const messageUnitsMax = 400_000;
export const titleUnitsMax = 200;
/** The largest text update of one push, in bytes. */
export const updateBytesMax = 700 * 1024;
