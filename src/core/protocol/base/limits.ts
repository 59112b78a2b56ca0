/** The largest frame and the largest request body that a server reads, in bytes. */
export const frameBytesMax = 1024 * 1024;
/** Maximum depth of untrusted JSON. */
export const jsonDepthMax = 64;
/** Maximum number of values in untrusted JSON. */
export const jsonValuesMax = 100_000;
/** Maximum length of a message, a title and a canvas in a command, in UTF-16 units. */
export const messageUnitsMax = 400_000;
export const titleUnitsMax = 200;
/** Maximum length of the schema of an answer, as JSON in UTF-16 units. */
export const outputSchemaUnitsMax = 100_000;
/** Maximum size of the text update of one push, in bytes. */
export const updateBytesMax = 700 * 1024;
/** Maximum number of attachments of a message, and length of a file name in UTF-16 units. */
export const attachmentsMax = 20;
export const fileNameUnitsMax = 255;
/** Maximum length of the path of a document folder, in UTF-16 units. */
export const folderPathUnitsMax = 400;
/** Maximum length of a label, and number of labels of a message. */
export const labelUnitsMax = 100;
export const labelsMax = 50;
/** Maximum tokens that a request may allow a reply; more than any model writes. */
export const replyTokensMax = 10_000_000;
/** Maximum number of committed canvas revisions in one answer. */
export const revisionsPageMax = 100;
/** Maximum number of hunks that one review step names. */
export const hunksNamedMax = 2_000;
/** Changes in one write of a draft: what a person types in a moment. */
export const draftChangesMax = 2_000;
/** Maximum number of units whose origins one request asks for. */
export const originsMax = 500;
/** Maximum length of a trace in one answer, in UTF-16 units. */
export const traceUnitsMax = 8_000_000;
/** Maximum length of a search, and number of its results. */
export const searchWordsUnitsMax = 400;
export const searchLimitMax = 200;
/** Maximum number of entries of a list that one client watches at once. */
export const listCountMax = 10_000;
/** Maximum length of a tool call's id in a command. */
export const callIdUnitsMax = 1_000;
/** Maximum length of an answer to a question, and of a note, in UTF-16 units. */
export const answerUnitsMax = 20_000;
export const noteUnitsMax = 4_000;
/** The largest part of a conversation that a page may ask for at once: messages of one path, and bytes. */
export const segmentMessagesMax = 1_000;
export const segmentBytesMax = 4 * 1024 * 1024;
