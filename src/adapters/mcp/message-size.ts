/** The longest message that a server may send, in bytes. */
export const messageBytesMax = 16 * 1024 * 1024;

/** What is said of a server that sent a longer one. */
export const sentTooMuch = `it sent more than ${messageBytesMax / 1024 ** 2} MiB in one message`;
