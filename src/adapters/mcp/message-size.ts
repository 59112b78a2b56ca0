/** Longest message that a server may send, in bytes. */
export const messageBytesMax = 16 * 1024 * 1024;

/** The reason given when a server sends a longer message. */
export const sentTooMuch = `it sent more than ${messageBytesMax / 1024 ** 2} MiB in one message`;
