import type { ThreadId } from "../../../../src/core/base/ids.ts";
import { pageRequest } from "./page-request.ts";

const threads = pageRequest<ThreadId>();

/** Shows a thread of comments of a document that is being opened. */
export const askForThread = threads.askSoon;

/** Runs `show` when a thread of the open document is requested; it returns whether the document has it. */
export const useThreadAsked = threads.useAsked;
