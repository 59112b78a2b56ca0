/**
 * How long a blob is kept that nothing names, or that was claimed: its message may be about to be sent. In a team as long as its
 * uploader may attach it. Milliseconds.
 */
export const unnamedBlobAgeMs = 24 * 60 * 60 * 1000;
