// `heddle/syntax`: tool calls that models write into their text. See docs/library/syntax.md.

export { encodeRequestFor } from "../core/syntax/write/encode-request.ts";
export { findSyntax, syntaxes } from "../core/syntax/registry.ts";
export { importResponseTemplate } from "../core/syntax/response-template.ts";
export { readStructuredReply } from "../core/syntax/structured-reply.ts";
export { syntaxReader } from "../core/syntax/syntax-reader.ts";
export type { ReaderOptions, SyntaxReader } from "../core/syntax/syntax-reader.ts";
export type { Syntax } from "../core/syntax/base/syntax.ts";
export type { SyntaxTool } from "../core/syntax/base/tools.ts";
