/** How one refusal is said on each surface. */
export interface ErrorRow {
  readonly http: number;
  /** WebSocket close code when it ends the connection; null when only the request fails. */
  readonly wsClose: number | null;
  /** JSON-RPC code for MCP. */
  readonly mcp: number;
  /** Exit code of the command line. */
  readonly exit: number;
  readonly retryable: boolean;
  /** What happened and what to do next, for a person or a model. */
  readonly sentence: string;
}

function row(http: number, sentence: string, rest: Partial<ErrorRow> = {}): ErrorRow {
  return { http, wsClose: null, mcp: -32000, exit: 1, retryable: false, ...rest, sentence };
}

/** Every code of Heddle, once. Other modules say a code and its facts; the words and numbers are here. */
export const errorTable = {
  // The caller
  INVALID_PARAMS: row(
    400,
    "A parameter is missing or of the wrong form; correct what the details name and call again.",
    { mcp: -32602, exit: 2 },
  ),
  UNKNOWN_METHOD: row(404, "There is no such command or tool; use one of those listed.", { mcp: -32601, exit: 2 }),
  UNAUTHENTICATED: row(401, "The token is missing or wrong; open the address that the server printed at its start.", {
    wsClose: 4401,
  }),
  FORBIDDEN: row(403, "This is not allowed here; ask whoever runs the server.", { wsClose: 4403 }),
  FOREIGN_ORIGIN: row(403, "The request comes from a page or a host that this server does not serve.", {
    wsClose: 4403,
  }),
  UNSUPPORTED_MEDIA_TYPE: row(415, "Send JSON with the content type application/json."),
  NOT_FOUND: row(404, "There is nothing under that address or id; check it, or start from the list."),
  PROTOCOL_MISMATCH: row(409, "This page and the server are of different releases; reload the page.", {
    wsClose: 4409,
  }),
  FRAME_MALFORMED: row(400, "The message could not be read; nothing was changed.", { wsClose: 1007 }),
  FRAME_TOO_LARGE: row(413, "The message is larger than the server takes; send it in smaller pieces.", {
    wsClose: 1009,
  }),
  RATE_LIMITED: row(429, "Too many messages in a short time; wait a moment and send again.", {
    wsClose: 1008,
    retryable: true,
  }),
  SLOW_SUBSCRIBER: row(503, "The reader was too slow and was cut off; join again to catch up.", {
    wsClose: 4508,
    retryable: true,
  }),
  SHUTTING_DOWN: row(503, "The server is stopping and takes no new work; send it again when it is back.", {
    wsClose: 1012,
    retryable: true,
  }),
  STORE_FAILED: row(500, "The change could not be written to disk and was not made; check the disk, then try again.", {
    retryable: true,
  }),
  STORE_FULL: row(
    507,
    "The disk is full: the workspace is read-only until there is space again. Nothing acknowledged was lost.",
    { retryable: true },
  ),
  DATA_IN_USE: row(409, "Another Heddle process holds this data directory; stop it, or start with another --data.", {
    exit: 3,
  }),
  REQUEST_ID_REUSED: row(
    422,
    "This request id was used for another request, so nothing was changed. Send the new request under an id of its own; to repeat the first one, send the same parameters.",
  ),
  INTERNAL: row(500, "Heddle has a defect here; the change was not made. The log has the details."),
  CONFLICT: row(409, "Somebody changed this meanwhile; read it again and repeat the change."),

  // Text and blocks
  BLOCK_NOT_FOUND: row(404, "There is no block with that id; list the blocks to find it."),
  LINE_OUT_OF_RANGE: row(422, "A line number is beyond the text; read the block again and use its line count."),
  ADDRESS_NOT_FOUND: row(404, "There is no such section or list item; choose one that the outline lists."),
  ADDRESS_AMBIGUOUS: row(409, "Several sections are called that; give the number that the outline shows for one."),
  OFFSET_OUT_OF_RANGE: row(
    422,
    "An offset is beyond the text or inside a character; use an offset between two characters.",
  ),
  CONTENT_MISMATCH: row(
    409,
    "The text there is not what was expected; read it again and repeat the edit with what it says now.",
  ),
  OVERLAPPING_OPERATIONS: row(
    422,
    "Two operations of the batch touch the same lines; join them or send them one after the other.",
  ),
  ANCHOR_MISMATCH: row(409, "The line at that anchor has changed; read again for fresh anchors."),
  STATUS_CONFLICT: row(409, "The block's status does not allow this; set its status to running first."),
  VERSION_UNKNOWN: row(409, "That version is not known here; read the block again for its current version."),
  UPDATE_TOO_LARGE: row(413, "The update is larger than a block takes; make the change in smaller pieces."),
  UPDATE_CORRUPT: row(400, "The update could not be read; nothing was changed. Join again to get a fresh copy.", {
    wsClose: 1007,
  }),
  UPDATE_FOREIGN_AGENT: row(403, "The update carries edits of another agent; send only your own.", { wsClose: 4403 }),
  UPDATE_GAP: row(409, "The update builds on edits that the server does not have; join again to get a fresh copy."),
  UPDATE_OUT_OF_RANGE: row(
    400,
    "The update touches a place that does not exist; nothing was changed. Join again to get a fresh copy.",
    {
      wsClose: 1007,
    },
  ),
  TEXT_MALFORMED: row(
    400,
    "The text has half a character (a lone surrogate); nothing was changed. Send whole characters.",
  ),
  BLOCK_TOO_LARGE: row(413, "The block would grow beyond its bound; start another block."),
  NOTHING_TO_UNDO: row(409, "There is nothing left to undo here."),
  UNDO_TOO_OLD: row(409, "What that did can no longer be undone: its history was let go."),
  NOTHING_TO_REDO: row(409, "There is nothing to redo here."),
  REGEX_TIMEOUT: row(422, "The pattern took too long; use a simpler one or a literal text."),

  // Files of the workspace folder
  PATH_REFUSED: row(
    403,
    "That path cannot be used; name a file by its path from the workspace folder, with ordinary letters.",
  ),
  FILE_NOT_FOUND: row(404, "There is no such file in the workspace folder; list the files to find it."),
  FILE_EXISTS: row(409, "There is a file at that path already; open it, or choose another path."),
  FILE_NOT_TEXT: row(415, "That file is no text (UTF-8 without NUL) and cannot be opened as a document."),
  FILE_CHANGED: row(
    409,
    "The file on disk was changed by another program; it was not overwritten. Take the change in, then save again.",
  ),
  FILE_FAILED: row(
    500,
    "The file could not be read or written; check the disk and the folder's rights, then try again.",
    {
      retryable: true,
    },
  ),

  // Patches
  PATCH_REJECTED: row(409, "The patch does not fit; nothing was changed. Read the lines again and send a new patch."),

  // Leases and canvases
  LOCK_NOT_AVAILABLE: row(
    423,
    "Another agent is editing this canvas; wait until its lease ends, then check out again.",
    { retryable: true },
  ),
  LOCK_NOT_OWNED: row(409, "This canvas is not checked out under that lease; call canvas_check_out first."),
  LEASE_EXPIRED: row(409, "The lease ran out; call canvas_check_out again and re-read before you edit."),
  STALE_EPOCH: row(
    409,
    "A person took control, so this was not done; an edit that was on its way is kept as a suggestion for them. Stop editing unless you are asked again.",
  ),
  CANVAS_UNAVAILABLE: row(409, "This conversation has no canvas that the canvas tools can use; choose or create one."),
  SUGGESTION_NOT_FOUND: row(
    404,
    "There is no suggestion with that id for this canvas; list the suggestions to find it.",
  ),
  SUGGESTION_CONFLICT: row(
    409,
    "The suggested lines have changed since, so nothing was kept. Reject the hunk and make the edit by hand, or put the lines back as they were and keep it then.",
  ),
  REVIEW_FULL: row(
    409,
    "So much waits for review on this canvas that no more is taken; nothing was suggested. A person has to keep or reject some of it first.",
  ),
  SUGGESTION_DECIDED: row(409, "Somebody has decided about this suggestion already; undo that decision first."),
  REVIEW_NEEDED: row(
    409,
    "Agents only suggest edits of this canvas, and this tool suggests none: nothing was changed. Use canvas_apply_patch; a person decides about it.",
  ),
  CANVAS_LEASED: row(423, "An agent is editing this canvas under an exclusive lease; take control first."),

  // Forest
  ROOT_NOT_FOUND: row(404, "There is no conversation with that id; choose one from the list."),
  NODE_NOT_FOUND: row(404, "There is no message with that id; it may have been deleted."),
  MESSAGE_INVALID: row(
    422,
    "The message is not well formed; nothing was added. Correct what the details name and send it again.",
  ),
  TOOL_RESULT_UNPAIRED: row(
    422,
    "A tool result must answer the next open tool call of its branch; send the results in the order of the calls.",
  ),
  TOOL_ARGUMENTS_INVALID: row(
    422,
    "The arguments of the tool call are not a JSON object; send the call again with valid JSON.",
  ),
  EXPORT_INVALID: row(
    422,
    "The file cannot be read as an exported conversation; nothing was added. Correct what the details name, or export again.",
  ),
  TRACE_INVALID: row(
    422,
    "The file cannot be read as a trace; nothing was replayed after that line. Correct what the details name, or export the trace again.",
    { exit: 2 },
  ),
  FILE_STORE_INVALID: row(
    422,
    "A file of the earlier store cannot be read; the others are. Correct what the details name, then import again.",
  ),
  SIBLING_EXISTS: row(
    409,
    "The same message would stand twice at one place; go on from the one that stands there, or delete one of the two.",
  ),
  BOOKMARKED: row(
    409,
    "A bookmark stands on what would be deleted; delete the bookmarks that the details name first, or ask again with force.",
  ),
  BRANCH_BUSY: row(409, "This branch is being written; stop the agent first.", { retryable: true }),

  // Turns
  AGENT_BUSY: row(409, "The agent is busy; cancel what it is doing or queue the message.", { retryable: true }),
  CANCELLATION_IN_PROGRESS: row(409, "The agent is just being stopped; send the message again in a moment.", {
    retryable: true,
  }),
  NOTHING_TO_CANCEL: row(409, "There is nothing to cancel."),
  AWAITING_APPROVAL: row(
    409,
    "The agent waits for a person's word on a call; allow or deny it, stop the agent, or queue the message.",
    { retryable: true },
  ),
  AWAITING_USER_RESPONSE: row(
    409,
    "The agent has asked a question; answer or decline it, stop the agent, or queue the message.",
    { retryable: true },
  ),
  CONTEXT_EXHAUSTED: row(
    409,
    "This branch is summed up and takes no more messages; go on in a new branch that begins with the summary.",
  ),
  CONVERSATION_ENDED: row(409, "This agent has ended for good; its result is with the conversation that asked for it."),
  APPROVAL_CLOSED: row(
    409,
    "That call does not wait for a word any more: somebody answered, the time was over, or it is another call now.",
  ),
  QUESTION_CLOSED: row(409, "That question does not wait for an answer any more."),
  BUDGET_EXCEEDED: row(
    409,
    "The budget of this conversation is used up; raise it in the conversation's settings, then try again.",
  ),
  INVALID_TRANSITION: row(
    409,
    "That cannot happen in the state the conversation is in; look at its state, then try again.",
  ),
  RUN_NOT_FOUND: row(404, "There is no run with that id; open the conversation to see those there are."),
  UNKNOWN_TOOL: row(404, "There is no tool with that name; use one of the tools you were given."),
  TOOL_FAILED: row(500, "The tool failed; its message says why."),
  SANDBOX_UNAVAILABLE: row(
    503,
    "Commands cannot be run here, because the sandbox that they need is not available; work without them.",
  ),

  // Blobs
  BLOB_NOT_FOUND: row(404, "There is no image or file with that id; upload it again and use the id of the answer."),
  BLOB_DAMAGED: row(
    500,
    "The image or file is damaged on disk: its bytes are not those that were stored. Upload it again, or take it from a backup.",
  ),
  BLOB_TOO_LARGE: row(413, "The image or file is larger than the server takes; send a smaller one."),
  MEDIA_TYPE_REFUSED: row(
    415,
    "This kind of file is not taken; send a PNG, JPEG, GIF or WebP image, a PDF, or a text in UTF-8.",
  ),
  MEDIA_OVER_LIMIT: row(
    422,
    "The model's provider does not take this image or file; make it smaller, or choose another model.",
  ),

  // Calls that stand in a reply's text
  TRUNCATED_CALL: row(422, "The reply ended inside the tool call, so it was not run; write the whole call again."),
  MALFORMED_CALL: row(
    422,
    "The tool call is not well formed and was not run; write it again in the form you were shown.",
  ),
  AMBIGUOUS_CLOSE: row(
    422,
    "A value of the tool call seems to hold the tag that ends it, so the call was not run; write that value in a CDATA section.",
  ),
  DUPLICATE_PARAM: row(422, "A parameter stands twice in the tool call, which was not run; give it once."),
  BAD_TYPE: row(422, "A parameter's value is not of its type, so the call was not run; correct it and call again."),
  CALL_REFUSED: row(409, "Only one tool call is allowed here in a reply; make the next one after its result."),

  // Models
  CONTEXT_FULL: row(
    422,
    "The conversation leaves the model no room for an answer; shorten it, or choose a model that takes more.",
  ),
  MODEL_NOT_FOUND: row(404, "There is no model with that name; choose one of those listed."),
} as const satisfies Record<string, ErrorRow>;

/** The codes of the table. */
export type ErrorCode = keyof typeof errorTable;

/**
 * Why something was not done. `code` is for programs, `message` is one sentence for people and models, `details` are
 * the facts to correct the request.
 */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: { readonly [fact: string]: unknown };
}

/** A refusal with its facts; `message` takes the place of the table's sentence. */
export function refusal(code: ErrorCode, details?: Refusal["details"], message?: string): Refusal {
  return { code, message: message ?? errorTable[code].sentence, ...(details === undefined ? {} : { details }) };
}
