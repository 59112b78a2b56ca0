/**
 * The wire protocol's version: a client and a server talk only when theirs are equal. It rises with every change of a
 * schema that an older peer would not understand, and then a line is added here.
 *
 * 1  First: hello, watches of the workspace, of conversations and of blocks, pushes, calls, presence.
 * 2  Answers of commands have schemas, which the hash covers. `clientRequestId` is no parameter of single commands: every
 *    call may have one. The number of an editing replica is called `replica`.
 * 3  A text change may start its block (`starts`): one version instead of two.
 * 4  A block may be restored from the trash (`restored`), and commands list, restore and purge what is there.
 * 5  Messages say who wrote what: `authors`, `edited`.
 * 6  Messages that wait for a run: `deliver`, `waiting.change`, `waiting.withdraw`, the feed's `waiting-changed`.
 * 7  A window may be unknown (`contextTokensMax: null`); failures of class `context-full`.
 * 8  Conversations have a folder, and files are in one (`folderId`).
 * 9  A conversation says how models are asked (`replies`, `conversation.settings`); named prompts; windows that people set.
 * 10 `message.continue` goes on from a reply.
 * 11 An attached image may have a smaller copy (`scaledBlobId`, `scaled`).
 * 12 A suggestion may be about the canvas itself (`proposes`): its deletion, its title, its flags.
 * 13 Deleting a conversation or a message answers with its entry of the trash.
 * 14 The folders and the changes of their file lists are sent (`folders`).
 * 15 `conversation.archive`.
 * 16 A message may be left out of what models receive (`excluded`), folded (`collapsed`), or replace others (`compacts`).
 * 17 Conversations, canvases and people are lists that a client watches in part (`watch-list`, `list`, `people`).
 * 18 Files are deleted and moved (`file.delete`, `file.move`), and are in the trash.
 * 19 A file of a folder is attached to a message (`file.attach`).
 * 20 A page may ask for a part of a conversation (`segment`), in a watch and by `conversation.segment`.
 * 21 `models.syntaxes`; a model's chat template proposes a syntax (`proposedSyntax`).
 * 22 Canvases are in document folders, pinned and archived (`canvas.arrange`), conversations pinned and tagged; lists say
 *    what happens in a conversation, and there is one of document folders.
 * 23 Comments on documents: `comment.*`, `threads`; threads are in the trash.
 * 24 `models.ask`.
 * 25 An agent of another program is named with it (`outside`).
 * 26 Scoped tokens (`token.create`, `token.list`, `token.revoke`).
 * 27 Messages and refusals may hold what an API adds to them (`native`).
 * 28 A file may be opened as a canvas (`file.open` with `asCanvas`).
 * 29 `models.list` may name a model whose server is asked first; `models.ask` says `proposedSyntax`.
 * 30 `comment.export`.
 * 31 Webhooks (`webhook.*`).
 * 32 A message may carry the schema of its answer (`outputSchema`).
 * 33 Signing in at MCP servers (`mcp.sign-in`, `mcp.sign-out`, `signIn`).
 * 34 Drafts of canvases (`draft.*`, `draftId`, `inDraft`), `canvas.text`, `canvas.bring`, `message.graft`.
 * 35 A conversation switches on tools of the provider (`serverTools`).
 * 36 Providers and MCP servers are added, tested and removed in the app (`provider.*`, `mcp.*`), `models.set-default`, `models-changed`;
 *    `search.all`, `file.conflict`, `file.bring-back`.
 * 37 Uploads become files of a folder (`file.put`).
 * 38 `conversation.usage` has days and messages, and the day of the prices.
 * 39 A program asks in the midst of a call (`asker`, `optional`, `url`): an answer may be empty, and there may be 20. What
 *    MCP servers offer to people (`mcp.offers`, `mcp.attach`, `mcp.prompt`, `mcp.view`).
 * 40 Versions of canvases have names (`canvas.name-version`, `name`, `named`); a canvas is copied as it was at a revision.
 *    A find of `search.all` names its thread (`threadId`).
 * 41 Sharing, people and groups (`share.*`, `person.*`, `group.*`); tokens that may share.
 *    Comments go with words that are cut and pasted (`comment.paste`).
 * 42 A person writes in a draft (`draft.write`, `writer`, `hash`, `lateHunkIds`, `alsoBy`); drafts go to the trash with their
 *    branch (`inTrash`). Comments are exported as Critic marks (`leftOut`), and read from a file (`readsComments`).
 * 43 Budgets of people and groups (`budget.*`), keys of single people (`own-key.*`), locked settings
 *    (`lock.*`). The audit log is read in the app (`audit.list`), of one thing too (`on`). Pushes to browsers (`push.*`), and whether a page is seen (`look`).
 * 44 Texts of drafts are revisions too, listed for a draft (`canvas.revisions` with `draftId`, `draftVersion`).
 * 45 A draft makes, moves and deletes files (`create`, `of`, `from` of a hunk), its documents are listed (`draft.documents`), and
 *    several are taken at once (`draft.take` with `alsoIn`).
 *    What agents may quote in a conversation (`share.quoting`, `quoting`), and which of its documents others may not read (`share.unseen`).
 * 46 A share link may have a password (`proofHash`, `hasPassword`), and owners lock share links (`links` of `lock.*`). An undone
 *    turn says where it was not (`unchanged`).
 */
export const protocolVersion = 46;

/**
 * Fingerprint of every wire schema. Both ends compare it in the hello, so that a page left open across an update learns
 * that it must reload. A test recomputes it and fails when the schemas change; set it together with the version.
 */
export const schemaHash = "1183aea0";
