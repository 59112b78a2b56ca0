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
/** The most that is attached to one message, and the longest name of a file, in UTF-16 units. */
export const attachmentsMax = 20;
export const fileNameUnitsMax = 255;
/** The longest label of a message, and how many one message has. */
export const labelUnitsMax = 100;
export const labelsMax = 50;
/** The most tokens that a request may allow a reply; beyond what any model writes. */
export const replyTokensMax = 10_000_000;
/** The most committed revisions of a canvas that one answer has. */
export const revisionsPageMax = 100;
/** The most hunks that one review step names. */
export const hunksNamedMax = 2_000;
/** The most units of a text whose origins are asked for at once. */
export const originsMax = 500;
/** The longest trace that one answer has, in UTF-16 units. */
export const traceUnitsMax = 8_000_000;
/** The longest search, and the most finds that it gives. */
export const searchWordsUnitsMax = 400;
export const searchLimitMax = 200;
/** The longest id of a tool call that a command names. */
export const callIdUnitsMax = 1_000;
/** The longest answer to a question, and the longest note beside an answer, in UTF-16 units. */
export const answerUnitsMax = 20_000;
export const noteUnitsMax = 4_000;
