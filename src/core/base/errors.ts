/** The representation of one refusal on each surface. */
export interface ErrorRow {
  readonly http: number;
  /** WebSocket close code when it ends the connection; null when only the request fails. */
  readonly wsClose: number | null;
  /** JSON-RPC code for MCP. */
  readonly mcp: number;
  /** Exit code of the command line. */
  readonly exit: number;
  readonly retryable: boolean;
  /** What happened, what is safe and what to do, for a person or a model. */
  readonly sentence: string;
}

function row(http: number, sentence: string, rest: Partial<ErrorRow> = {}): ErrorRow {
  return { http, wsClose: null, mcp: -32000, exit: 1, retryable: false, ...rest, sentence };
}

/** Every refusal code of Heddle, once. Other modules give a code and its facts; the sentences and numbers are here. */
export const errorTable = {
  // The caller
  INVALID_PARAMS: row(
    400,
    "A parameter is missing or has the wrong form. Correct what the details name and call again.",
    { mcp: -32602, exit: 2 },
  ),
  UNKNOWN_METHOD: row(404, "No command or tool has this name. Use a name from the list.", { mcp: -32601, exit: 2 }),
  UNAUTHENTICATED: row(
    401,
    "The token is missing or wrong. Open the address that the server printed when it started.",
    {
      wsClose: 4401,
    },
  ),
  FORBIDDEN: row(403, "This request is not allowed. Ask the person who runs the server.", { wsClose: 4403 }),
  FOREIGN_ORIGIN: row(
    403,
    "The request comes from a page or host that this server does not serve, so it was refused. Open the address that the server printed when it started.",
    {
      wsClose: 4403,
    },
  ),
  UNSUPPORTED_MEDIA_TYPE: row(415, "The request body is not JSON. Send JSON with the content type application/json."),
  NOT_FOUND: row(404, "Nothing has this address or id. Check it, or start from the list."),
  PROTOCOL_MISMATCH: row(
    409,
    "This page or program is from another release than the server. Reload the page; a program needs the server's release of heddle.",
    {
      wsClose: 4409,
    },
  ),
  FRAME_MALFORMED: row(400, "The server could not read the message. Nothing was changed.", { wsClose: 1007 }),
  FRAME_TOO_LARGE: row(413, "The message is larger than the server accepts. Send it in smaller pieces.", {
    wsClose: 1009,
  }),
  RATE_LIMITED: row(429, "Too many messages arrived in a short time. Wait a moment and send the message again.", {
    wsClose: 1008,
    retryable: true,
  }),
  SLOW_SUBSCRIBER: row(503, "The connection was closed because it received too slowly. Connect again to catch up.", {
    wsClose: 4508,
    retryable: true,
  }),
  SHUTTING_DOWN: row(
    503,
    "The server is stopping and accepts no new work. Send the request again when the server is back.",
    {
      wsClose: 1012,
      retryable: true,
    },
  ),
  UNAVAILABLE: row(
    503,
    "The workspace is moving to another server. Nothing was done; send the request again in a moment.",
    { wsClose: 1013, retryable: true },
  ),
  UNKNOWN_OUTCOME: row(
    502,
    "The server that was asked went away before it answered, so the request may or may not have been carried out. Send it again with the same request id: it is carried out once.",
    { retryable: true },
  ),
  STORE_FAILED: row(
    500,
    "The change was not saved because it could not be written to disk. Check the disk, then try again.",
    {
      retryable: true,
    },
  ),
  STORE_FULL: row(
    507,
    "The change was not saved because the disk is full. Everything saved before is safe. Free some space on the server’s disk and try again; until then the workspace is read-only.",
    { retryable: true },
  ),
  DATA_IN_USE: row(409, "Another Heddle process holds this data directory. Stop it, or start with another --data.", {
    exit: 3,
  }),
  REQUEST_ID_REUSED: row(
    422,
    "This request id was already used for a different request, so nothing was changed. Send the new request with its own id. To repeat the first request, send the same parameters.",
  ),
  INTERNAL: row(500, "Internal error. The change was not saved. Details are in the log."),
  REAUTHENTICATE: row(
    401,
    "This needs a sign-in of the last ten minutes, so nothing was changed. Sign in again, then repeat it.",
  ),
  NOT_SHARED_HERE: row(
    403,
    "Not everyone who reads this conversation may read that, and what is read here is told to all of them, so it was not read. Do not look for its text elsewhere. Work with what everyone here may read, or tell the person: they can ask in a conversation of their own, or an owner of this one can let agents quote what those may read who ask.",
  ),
  LAST_OWNER: row(
    409,
    "This would leave it without an owner, so nothing was changed. Make somebody else an owner first.",
  ),
  SETTING_LOCKED: row(
    403,
    "An owner of the workspace locked this setting, so nothing was changed. Ask an owner to change or unlock it.",
  ),
  CONFLICT: row(409, "The object was changed by someone else, so nothing was saved. Read it again and retry."),

  // Text and blocks
  BLOCK_NOT_FOUND: row(404, "No block has this id. List the blocks to see the ids."),
  IN_TRASH: row(409, "This is in the trash, so nothing was changed. Restore it to go on working with it."),
  NOT_IN_TRASH: row(409, "This is not in the trash: it was restored or purged. List the trash to see what is there."),
  TRASH_NOT_YOURS: row(
    403,
    "A person, or an agent of another conversation, deleted this, so only a person can restore it. Ask a person to restore it from the trash.",
  ),
  LINE_OUT_OF_RANGE: row(
    422,
    "A line number is past the end of the text. Read the block again and use its line count.",
  ),
  ADDRESS_NOT_FOUND: row(404, "No section or list item has this address. Choose an address from the outline."),
  ADDRESS_AMBIGUOUS: row(
    409,
    "Several sections have this title. Give the number that the outline shows for the section.",
  ),
  OFFSET_OUT_OF_RANGE: row(
    422,
    "An offset is past the end of the text or inside a character. Use an offset between two characters.",
  ),
  CONTENT_MISMATCH: row(
    409,
    "The text there differs from the expected text, so nothing was changed. Read it again and repeat the edit with its current content.",
  ),
  OVERLAPPING_OPERATIONS: row(
    422,
    "Two operations of the batch touch the same lines. Combine them, or send them one after the other.",
  ),
  ANCHOR_MISMATCH: row(409, "The line at this anchor has changed. Read the block again for current anchors."),
  STATUS_CONFLICT: row(409, "The block's status does not allow this change. Set its status to running first."),
  NOT_EDITABLE: row(
    409,
    "A model's thinking and the results of tools cannot be edited, so nothing was changed. Edit the reply's text instead.",
  ),
  NOT_YOURS: row(
    403,
    "This is a model's reply, which agents cannot edit, so nothing was changed. Say what should be different instead.",
  ),
  MESSAGE_STORED: row(
    409,
    "The reply ended before this edit arrived, so the edit was not applied. Your words are kept here. Edit the message to apply them.",
  ),
  BLOCK_IS_MESSAGE: row(
    409,
    "This block is a stored message now, so it cannot be changed as a block. Change the message instead: message.rewrite in place, message.edit as a branch.",
  ),
  VERSION_UNKNOWN: row(409, "The server does not know this version. Read the block again for its current version."),
  UPDATE_TOO_LARGE: row(413, "The update is larger than a block accepts. Make the change in smaller pieces."),
  UPDATE_CORRUPT: row(
    400,
    "The server could not read the update. Nothing was changed. Open the block again to get a fresh copy.",
    {
      wsClose: 1007,
    },
  ),
  UPDATE_FOREIGN_REPLICA: row(
    403,
    "The update contains edits of another replica, so it was refused. Send only your own edits.",
    { wsClose: 4403 },
  ),
  UPDATE_GAP: row(
    409,
    "The update builds on edits that the server does not have. Open the block again to get a fresh copy.",
  ),
  UPDATE_OUT_OF_RANGE: row(
    400,
    "The update refers to a position that does not exist. Nothing was changed. Open the block again to get a fresh copy.",
    {
      wsClose: 1007,
    },
  ),
  TEXT_MALFORMED: row(
    400,
    "The text contains half a character (a lone surrogate). Nothing was changed. Send whole characters.",
  ),
  BLOCK_TOO_LARGE: row(
    413,
    "The change would make the block larger than its limit, so it was not made. Start another block.",
  ),
  NOTHING_TO_UNDO: row(409, "There is nothing to undo."),
  UNDO_TOO_OLD: row(409, "This change is too old to undo: its history has been compacted."),
  NOTHING_TO_REDO: row(409, "There is nothing to redo."),
  REGEX_TIMEOUT: row(
    422,
    "The search was stopped because the regular expression took too long. Use a simpler one, or search for literal text.",
  ),

  // Files of the workspace folder
  PATH_REFUSED: row(
    403,
    "This path cannot be used. Name the file by its path from the workspace folder, with ordinary characters.",
  ),
  FILE_NOT_FOUND: row(404, "The folder has no file with this path. List the files to find it."),
  FILE_EXISTS: row(
    409,
    "A file with this path already exists, so nothing was changed. Open it, or choose another path.",
  ),
  FILE_NOT_TEXT: row(415, "This file is not UTF-8 text, so it cannot be opened as a document."),
  FILE_CHANGED: row(
    409,
    "Another program changed the file on disk, so Heddle did not overwrite it. Import that change, then save again.",
  ),
  FILE_FAILED: row(
    500,
    "The file could not be read or written. Check the disk and the permissions of the folder, then try again.",
    {
      retryable: true,
    },
  ),

  FOLDER_NOT_FOUND: row(404, "No folder has this id. Call folder.list to see the folders."),
  FOLDER_AWAY: row(
    503,
    "The folder of this conversation is not at its path: it was moved, deleted, unmounted or removed from Heddle. Nothing was read or written there. Bring it back, then try again.",
    { retryable: true },
  ),
  FOLDER_READ_ONLY: row(
    403,
    "Heddle may only read this folder, so nothing was written. A person can change its rights in the settings.",
  ),

  // Patches
  PATCH_REJECTED: row(
    409,
    "The patch does not apply to the current text, so nothing was changed. Read the lines again and send a new patch.",
  ),

  // Leases and canvases
  LOCK_NOT_AVAILABLE: row(
    423,
    "Another agent is editing this canvas. Wait until its lease ends, then check out again.",
    { retryable: true },
  ),
  LOCK_NOT_OWNED: row(409, "You do not hold this lease on the canvas. Call canvas_check_out first."),
  LEASE_EXPIRED: row(
    409,
    "The lease expired, so this was not done. Call canvas_check_out again and read the canvas before you edit it.",
  ),
  STALE_EPOCH: row(
    409,
    "A person took control of the canvas, so this was not done. An edit that was already on its way is kept as a suggestion for them. Stop editing unless you are asked again.",
  ),
  CANVAS_UNAVAILABLE: row(409, "This conversation has no canvas that the canvas tools can use. Choose or create one."),
  SUGGESTION_NOT_FOUND: row(404, "This canvas has no suggestion with this id. List the suggestions to see the ids."),
  SUGGESTION_CONFLICT: row(
    409,
    "The lines of this suggestion have changed since it was made, so nothing was kept. Reject the hunk and edit the text by hand, or restore the original lines and keep it then.",
  ),
  REVIEW_FULL: row(
    409,
    "Too many suggestions wait for review on this canvas, so nothing was suggested. A person has to keep or reject some of them first.",
  ),
  SUGGESTION_DECIDED: row(409, "This suggestion has already been decided. Undo that decision first."),
  DRAFT_ENDED: row(
    409,
    "A person has taken or dropped this draft, so nothing was changed. Check the canvas out again: from then on you work on the text that everybody shares.",
  ),
  DRAFT_NOT_FOUND: row(404, "No open draft has this id. List the drafts to see the ids."),
  REVIEW_NEEDED: row(
    409,
    "Agents can only suggest edits of this canvas, and this tool edits directly, so nothing was changed. Use canvas_edit or canvas_apply_patch; a person decides about the suggestion.",
  ),
  COMMENT_NOT_FOUND: row(404, "No comment has this id. List the comments to see the ids."),
  COMMENT_NOT_YOURS: row(
    403,
    "This comment was made by someone else, so it was not changed. Reply to it, and leave the decision to the people.",
  ),
  COMMENTS_FULL: row(
    409,
    "There are too many comments here, so nothing was added. Resolve or delete some that are no longer needed.",
  ),
  QUOTE_NOT_FOUND: row(
    404,
    "The quoted words are not there, letter for letter, so no comment was made. Copy them exactly from the lines shown.",
  ),
  QUOTE_AMBIGUOUS: row(
    409,
    "The quoted words occur several times there, so no comment was made. Quote more of the text, name the lines, or say which occurrence.",
  ),
  CANVAS_LEASED: row(423, "An agent holds the lease on this canvas, so people cannot edit it now. Take control first."),

  // Forest
  ROOT_NOT_FOUND: row(404, "No conversation has this id. Choose one from the list."),
  NODE_NOT_FOUND: row(404, "No message has this id. It may have been deleted."),
  MESSAGE_INVALID: row(
    422,
    "The message is not valid, so nothing was added. Correct what the details name and send it again.",
  ),
  TOOL_RESULT_UNPAIRED: row(
    422,
    "A tool result must answer the next open tool call of its branch. Send the results in the order of the calls.",
  ),
  TOOL_ARGUMENTS_INVALID: row(
    422,
    "The arguments of the tool call are not a JSON object. Send the call again with valid JSON.",
  ),
  EXPORT_INVALID: row(
    422,
    "The file is not a valid export of a conversation, so nothing was added. Correct what the details name, or export the conversation again.",
  ),
  TRACE_INVALID: row(
    422,
    "The file is not a valid trace. Nothing was replayed after the line that the details name. Correct it, or export the trace again.",
    { exit: 2 },
  ),
  FILE_STORE_INVALID: row(
    422,
    "A file of the earlier store cannot be read; the other files were read. Correct what the details name, then import again.",
  ),
  SIBLING_EXISTS: row(
    409,
    "The same message already exists at this place. Continue from the existing message, or delete one of the two.",
  ),
  BOOKMARKED: row(
    409,
    "A bookmark points to a message that would be deleted, so nothing was deleted. Delete the bookmarks that the details name first, or repeat the request with force.",
  ),
  BRANCH_BUSY: row(409, "An agent is writing on this branch. Stop the agent first.", { retryable: true }),

  // Turns
  AGENT_BUSY: row(409, "The agent is busy. Stop it, or queue the message.", { retryable: true }),
  QUEUE_FULL: row(
    409,
    "The messages that wait for the agent are too many or too long, so nothing was changed. Send it once the agent has taken some, or withdraw one.",
    { retryable: true },
  ),
  MESSAGE_TAKEN: row(
    409,
    "The agent already has this message, so it was not changed. Send another message to correct it.",
  ),
  CANCELLATION_IN_PROGRESS: row(409, "The agent is being stopped. Send the message again in a moment.", {
    retryable: true,
  }),
  NOTHING_TO_CANCEL: row(409, "There is nothing to cancel."),
  AWAITING_APPROVAL: row(
    409,
    "The agent is waiting for a person to allow or deny a tool call. Allow or deny the call, stop the agent, or queue the message.",
    { retryable: true },
  ),
  AWAITING_USER_RESPONSE: row(
    409,
    "The agent has asked a question. Answer or decline it, stop the agent, or queue the message.",
    { retryable: true },
  ),
  CONTEXT_EXHAUSTED: row(
    409,
    "This branch is full and has been summarised, so it accepts no more messages. Continue in a new branch that begins with the summary.",
  ),
  CONVERSATION_ENDED: row(
    409,
    "This agent has finished and accepts no more messages. The conversation that started it has its result.",
  ),
  APPROVAL_CLOSED: row(
    409,
    "This tool call is no longer waiting for approval: someone has answered, the time is over, or the call has changed.",
  ),
  QUESTION_CLOSED: row(409, "This question is no longer waiting for an answer."),
  BUDGET_EXCEEDED: row(
    409,
    "The budget of this conversation is used up. Raise it in the conversation's settings, then try again.",
  ),
  INVALID_TRANSITION: row(
    409,
    "The current state of the conversation does not allow this. Check its state, then try again.",
  ),
  RUN_NOT_FOUND: row(404, "No run has this id. Open the conversation to see its runs."),
  UNKNOWN_TOOL: row(404, "No tool has this name. Use one of the tools you were given."),
  TOOL_FAILED: row(500, "The tool failed. Its message gives the reason."),
  SANDBOX_UNAVAILABLE: row(
    503,
    "Commands cannot be run because the sandbox they need is not available. Continue without commands.",
  ),

  // Blobs
  BLOB_NOT_FOUND: row(404, "No image or file has this id. Upload it again and use the id in the answer."),
  BLOB_DAMAGED: row(
    500,
    "The image or file is damaged on disk: its bytes differ from those that were stored. Upload it again, or restore it from a backup.",
  ),
  BLOB_TOO_LARGE: row(413, "The image or file is larger than the server accepts. Send a smaller one."),
  MEDIA_TYPE_REFUSED: row(
    415,
    "This type of file is not accepted. Send a PNG, JPEG, GIF or WebP image, a PDF, or UTF-8 text.",
  ),
  MEDIA_OVER_LIMIT: row(
    422,
    "The model's provider does not accept this image or file. Make it smaller, or choose another model.",
  ),

  // Tool calls written in a reply's text
  TRUNCATED_CALL: row(
    422,
    "The reply ended inside the tool call, so the call was not run. Write the whole call again.",
  ),
  MALFORMED_CALL: row(
    422,
    "The tool call is not well formed, so it was not run. Write it again in the form you were shown.",
  ),
  AMBIGUOUS_CLOSE: row(
    422,
    "A value of the tool call seems to contain the tag that ends it, so the call was not run. Write that value in a CDATA section.",
  ),
  DUPLICATE_PARAM: row(422, "The tool call has a parameter twice, so it was not run. Give each parameter once."),
  BAD_TYPE: row(
    422,
    "A parameter's value has the wrong type, so the call was not run. Correct the value and call again.",
  ),
  CALL_REFUSED: row(409, "A reply may make only one tool call here. Make the next call after the result of this one."),

  // Models
  CONTEXT_FULL: row(
    422,
    "The conversation leaves the model no room for an answer. Shorten it, or choose a model with a larger context window.",
  ),
  NOTHING_TO_COMPACT: row(
    422,
    "There is too little to sum up, or no summary to switch; the newest turns are always kept, so try again in a longer conversation.",
  ),
  COMPACTION_NOT_SMALLER: row(
    422,
    "The summary was not much shorter than the messages that it was to replace, so it was thrown away.",
  ),
  MODEL_NOT_FOUND: row(404, "No model has this name. Choose one from the list."),
} as const satisfies Record<string, ErrorRow>;

/** A code of the table. */
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

/** Makes a refusal with its facts; `message` replaces the table's sentence. */
export function refusal(code: ErrorCode, details?: Refusal["details"], message?: string): Refusal {
  return { code, message: message ?? errorTable[code].sentence, ...(details === undefined ? {} : { details }) };
}
