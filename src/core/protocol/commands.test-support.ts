import type { CommandName } from "./commands.ts";

/** For every command: parameters that it accepts, with all optional ones, and parameters that it refuses. */
export const parameters: Record<CommandName, { readonly good: object; readonly bad: readonly unknown[] }> = {
  "conversation.create": {
    good: { title: "A talk", model: "scripted/scribe", toolSyntax: "caret", canvasId: null },
    bad: [{ title: "" }, { title: "x".repeat(201) }, { model: "no-slash" }, { canvasId: 3 }],
  },
  "conversation.find": { good: { name: "hello-1a2b3c4d" }, bad: [{}, { name: "" }] },
  "conversation.delete": { good: { rootId: "root_1" }, bad: [{}, { rootId: 1 }] },
  "conversation.rename": {
    good: { rootId: "root_1", title: "New" },
    bad: [{}, { rootId: "root_1", title: "  " }, { rootId: "root_1", title: "half \ud800" }],
  },
  "conversation.archive": {
    good: { rootId: "root_1", archived: true },
    bad: [{ rootId: "root_1" }, { rootId: "root_1", archived: "yes" }],
  },
  "conversation.arrange": {
    good: { rootId: "root_1", pinned: true, tags: ["tea"] },
    bad: [{}, { rootId: "root_1", tags: [""] }, { rootId: "root_1", tags: "tea" }, { rootId: "root_1", pinned: 1 }],
  },
  "conversation.set-model": {
    good: { rootId: "root_1", model: "openrouter/anthropic/x" },
    bad: [{ rootId: "root_1", model: "" }, { model: "a/b" }],
  },
  "conversation.set-tool-syntax": {
    good: { rootId: "root_1", toolSyntax: "deepseek-v3.2" },
    bad: [{ rootId: "root_1" }, { rootId: "root_1", toolSyntax: "" }, { rootId: "root_1", toolSyntax: "Two words" }],
  },
  "conversation.set-canvas": { good: { rootId: "root_1", canvasId: null }, bad: [{ rootId: "root_1" }] },
  "conversation.for-settings": {
    good: { systemPrompt: "", model: "scripted/scribe" },
    bad: [{ systemPrompt: 1 }, { systemPrompt: "half \ud800" }, { model: "x" }],
  },
  "message.graft": {
    good: { nodeId: "node_2", fromNodeId: "node_1", parentNodeId: null },
    bad: [
      { nodeId: "node_2", fromNodeId: "node_1" },
      { nodeId: "node_2", parentNodeId: null },
    ],
  },
  "message.send": {
    good: {
      rootId: "root_1",
      parentNodeId: null,
      text: "",
      attachments: [{ blobId: "ab".repeat(32), name: "a b.png" }, { blobId: "cd".repeat(32) }],
      queue: true,
      n: 10,
      model: "a/b",
      maxTokens: 1,
      temperature: 2,
    },
    bad: [
      ...[
        { n: 0 },
        { n: 11 },
        { n: 1.5 },
        { maxTokens: 0 },
        { temperature: 2.1 },
        { temperature: -1 },
        { model: "x" },
      ].map((wish) => ({ rootId: "root_1", parentNodeId: null, text: "Hello", ...wish })),
      { rootId: "root_1", parentNodeId: null, text: " \n" },
      { rootId: "root_1", parentNodeId: null, text: " \n", attachments: [] },
      ...[
        { blobId: "x" },
        { blobId: "AB".repeat(32) },
        { blobId: "ab".repeat(32), name: "../a" },
        { blobId: "ab".repeat(32), name: "gpj.\u202eexe" },
        { blobId: "ab".repeat(32), name: "" },
      ].map((bad) => ({ rootId: "root_1", parentNodeId: null, text: "x", attachments: [bad] })),
      { rootId: "root_1", parentNodeId: null, text: "half \ud800" },
      { rootId: "root_1", parentNodeId: null, text: ["Hello"] },
    ],
  },
  "message.edit": { good: { nodeId: "node_1", text: "Better" }, bad: [{ nodeId: "node_1" }] },
  "message.regenerate": {
    good: { nodeId: "node_1", n: 2, model: "a/b" },
    bad: [{}, { nodeId: "node_1", n: 11 }],
  },
  "message.continue": {
    good: { nodeId: "node_1", maxTokens: 100 },
    bad: [{}, { nodeId: 1 }],
  },
  "message.split": {
    good: { nodeId: "node_1", at: 3 },
    bad: [{ nodeId: "node_1" }, { nodeId: "node_1", at: 1.5 }],
  },
  "message.rewrite": {
    good: { nodeId: "node_1", text: "Better" },
    bad: [{ nodeId: "node_1", text: " " }],
  },
  "message.delete": {
    good: { nodeId: "node_1", reparent: true, force: false },
    bad: [{}, { nodeId: "n", force: "y" }],
  },
  "message.exclude": {
    good: { nodeId: "node_1", excluded: true },
    bad: [{ nodeId: "node_1" }, { nodeId: "node_1", excluded: "yes" }],
  },
  "message.collapse": { good: { nodeId: "node_1", collapsed: false }, bad: [{ collapsed: true }] },
  "message.label": {
    good: { nodeId: "node_1", tags: ["a", "b"], customData: { a: [1] } },
    bad: [
      { nodeId: "node_1", tags: [""] },
      { nodeId: "node_1", tags: "a" },
      { nodeId: "node_1", customData: [] },
    ],
  },
  "bookmark.list": { good: { rootId: "root_1" }, bad: [{ rootId: "" }] },
  "bookmark.put": {
    good: { title: "here", rootId: "root_1", nodeId: null },
    bad: [
      { title: " ", rootId: "root_1", nodeId: null },
      { title: "here", rootId: "root_1" },
    ],
  },
  "bookmark.rename": { good: { title: "a", newTitle: "b" }, bad: [{ title: "a" }] },
  "bookmark.delete": { good: { title: "a" }, bad: [{}] },
  "conversation.settings": {
    good: { rootId: "root_1", systemPrompt: null, thinking: "low", toolsOff: ["shell"], fallbacks: ["a/b"] },
    bad: [{}, { rootId: "root_1", thinking: "some" }, { rootId: "root_1", fallbacks: ["nowhere"] }],
  },
  "share.list": {
    good: { on: { type: "document", id: "doc/1/2" } },
    bad: [{}, { on: {} }, { on: { type: "workspace" } }, { on: { type: "document", id: "a b" } }, { on: "document" }],
  },
  "share.give": {
    good: { on: { type: "conversation", id: "root_1" }, to: { type: "group", id: "group_1" }, role: "commenter" },
    bad: [
      { on: { type: "folder-path", path: "" }, to: { type: "everyone" }, role: null },
      { on: { type: "folder-path", path: "../a" }, to: { type: "everyone" }, role: null },
      { on: { type: "conversation", id: "root_1" }, to: { type: "link", id: "link_1" }, role: null },
      { on: { type: "conversation", id: "root_1" }, to: { type: "person" }, role: null },
      { on: { type: "conversation", id: "root_1" }, to: { type: "everyone" }, role: "admin" },
      { on: { type: "conversation", id: "root_1" }, to: { type: "everyone" } },
    ],
  },
  "share.inherit": {
    good: { on: { type: "document", id: "doc/1/2" }, inherits: false },
    bad: [{ on: { type: "folder", id: "folder_1" } }, { on: { type: "folder", id: "folder_1" }, inherits: null }],
  },
  "share.link": {
    good: { on: { type: "conversation", id: "root_1" }, hash: "ab".repeat(32), role: "viewer", expiresAt: 1 },
    bad: [
      { on: { type: "conversation", id: "root_1" }, hash: "ab", role: "viewer", expiresAt: 1 },
      { on: { type: "conversation", id: "root_1" }, hash: "ab".repeat(32), role: "editor", expiresAt: 1 },
      { on: { type: "conversation", id: "root_1" }, hash: "ab".repeat(32), role: "viewer", expiresAt: 1.5 },
      { on: { type: "conversation", id: "root_1" }, hash: "ab".repeat(32), role: "viewer" },
    ],
  },
  "share.end-link": {
    good: { on: { type: "document", id: "doc/1/2" }, linkId: "link_1" },
    bad: [{ linkId: "link_1" }, { on: { type: "document", id: "doc/1/2" } }],
  },
  "person.list": { good: {}, bad: ["all"] },
  "person.set-role": {
    good: { personId: "person_1", role: null },
    bad: [{ personId: "person_1" }, { personId: "person_1", role: "boss" }, { role: "viewer" }],
  },
  "group.list": { good: {}, bad: ["all"] },
  "budget.list": { good: {}, bad: ["all"] },
  "budget.set": {
    good: { of: { type: "person", id: "person_1" }, per: "day", tokens: 1_000, dollars: null },
    bad: [
      { of: { type: "everyone" }, per: "day", tokens: 1_000, dollars: null },
      { of: { type: "group", id: "group_1" }, per: "week", tokens: 1_000, dollars: null },
      { of: { type: "group", id: "group_1" }, per: "day", tokens: 0, dollars: null },
      { of: { type: "group", id: "group_1" }, per: "day", tokens: null, dollars: 0 },
      { of: { type: "group", id: "group_1" }, per: "day", tokens: null },
    ],
  },
  "group.create": {
    good: { name: "Weavers" },
    bad: [{}, { name: " " }, { name: "x".repeat(201) }, { name: "\ud800" }],
  },
  "group.rename": { good: { groupId: "group_1", name: "Dyers" }, bad: [{ name: "Dyers" }, { groupId: "group_1" }] },
  "group.set-member": {
    good: { groupId: "group_1", personId: "person_1", member: false },
    bad: [
      { groupId: "group_1", personId: "person_1" },
      { groupId: "group_1", member: true },
    ],
  },
  "group.remove": { good: { groupId: "group_1" }, bad: [{}, { groupId: 1 }] },
  "token.list": { good: {}, bad: ["all"] },
  "token.create": {
    good: { name: "Loom", hash: "0".repeat(64), rights: ["read"], scope: null },
    bad: [
      { name: "Loom", rights: ["read"] },
      { name: "Loom", hash: "0", rights: ["read"] },
      { name: "Loom", hash: "0".repeat(64), rights: [] },
      { name: "Loom", hash: "0".repeat(64), rights: ["owner"] },
    ],
  },
  "token.revoke": { good: { tokenId: "token_01" }, bad: [{}] },
  "webhook.list": { good: {}, bad: ["all"] },
  "webhook.create": {
    good: { url: "https://example.org/heddle", events: ["conversation.ended"], secret: `whsec_${"A".repeat(32)}` },
    bad: [
      { url: "https://example.org/heddle", events: ["conversation.ended"] },
      { url: "https://example.org/heddle", events: [], secret: `whsec_${"A".repeat(32)}` },
      { url: "here", events: ["conversation.ended"], secret: `whsec_${"A".repeat(32)}` },
      { url: "https://example.org/heddle", events: ["all"], secret: `whsec_${"A".repeat(32)}` },
    ],
  },
  "webhook.delete": { good: { webhookId: "hook_01" }, bad: [{}] },
  "webhook.log": { good: { webhookId: "hook_01" }, bad: [{}] },
  "webhook.send": { good: { webhookId: "hook_01", id: "evt_01" }, bad: [{ id: "evt_01" }] },
  "prompt.list": { good: {}, bad: ["all"] },
  "prompt.put": {
    good: { name: "terse", text: "Be brief." },
    bad: [{ name: "terse" }, { name: "terse", text: " " }, { name: "", text: "x" }],
  },
  "prompt.delete": { good: { name: "terse" }, bad: [{}] },
  "models.set-window": {
    good: { model: "local/house", contextTokens: 8192 },
    bad: [{ model: "local/house" }, { model: "house", contextTokens: 8192 }, { model: "a/b", contextTokens: 0.5 }],
  },
  "preset.list": { good: {}, bad: ["all"] },
  "preset.put": {
    good: { name: "wild", n: 3, temperature: 1.5, maxTokens: 100 },
    bad: [{ n: 3 }, { name: "wild", n: 11 }, { name: "wild", maxTokens: 0.5 }],
  },
  "preset.delete": { good: { name: "wild" }, bad: [{}] },
  "preset.activate": { good: { name: null }, bad: [{}, { name: "" }] },
  "search.words": {
    good: { words: "two words", in: "messages", rootId: "root_1", limit: 5 },
    bad: [
      { words: "x" },
      { words: "x", in: "files" },
      { words: "x", in: "blocks", limit: 0 },
      { words: "x".repeat(401), in: "blocks" },
    ],
  },
  "message.add": {
    good: { rootId: "root_1", parentNodeId: null, text: "Look at this." },
    bad: [
      { rootId: "root_1", parentNodeId: null, text: " " },
      { rootId: "root_1", text: "x" },
    ],
  },
  "folder.list": { good: {}, bad: [] },
  "folder.instructions": { good: { folderId: "folder_1" }, bad: [{}] },
  "folder.add": {
    good: { path: "/home/ada/website", name: "website", rights: "commands", branch: null },
    bad: [{}, { path: "/a", rights: "all" }],
  },
  "folder.rename": { good: { folderId: "folder_1", name: "Other" }, bad: [{ folderId: "folder_1" }] },
  "folder.set-rights": { good: { folderId: "folder_1", rights: "read" }, bad: [{ folderId: "folder_1", rights: "" }] },
  "folder.set-branch": { good: { folderId: "folder_1", branch: null }, bad: [{ folderId: "folder_1" }] },
  "folder.trust": { good: { folderId: "folder_1", trusted: true }, bad: [{ folderId: "folder_1", trusted: 1 }] },
  "folder.remove": { good: { folderId: "folder_1" }, bad: [{}] },
  "file.list": { good: { containing: "notes" }, bad: [{ containing: 1 }] },
  "file.open": { good: { path: "notes/today.md", asCanvas: true }, bad: [{}, { path: "a".repeat(5_000) }] },
  "file.attach": { good: { path: "notes/today.png" }, bad: [{}, { path: 1 }] },
  "file.put": { good: { path: "today.png", blobId: "ab" }, bad: [{ path: "today.png" }, { blobId: "ab" }] },
  "file.delete": { good: { path: "notes/today.md" }, bad: [{}, { path: 1 }] },
  "file.move": { good: { path: "a.md", to: "b.md" }, bad: [{ path: "a.md" }, { path: "a.md", to: "a".repeat(5_000) }] },
  "file.resolve": {
    good: { blockId: "doc/1/1", keep: "both", hash: "a1" },
    bad: [{ blockId: "doc/1/1", keep: "both" }],
  },
  "run.cancel": { good: { runId: "run_1" }, bad: [{ runId: "" }] },
  "run.retry": { good: { runId: "run_1" }, bad: [{ runId: null }] },
  "branch.compact": {
    good: { nodeId: "node_1", through: "node_0", focus: "all names" },
    bad: [{}, { nodeId: "node_1", focus: "x".repeat(2_001) }, { nodeId: "node_1", through: 3 }],
  },
  "branch.originals": { good: { nodeId: "node_1" }, bad: [{}] },
  "branch.summary": { good: { nodeId: "node_1" }, bad: [{}] },
  "branch.context": {
    good: { rootId: "root_1", nodeId: null, model: "a/b" },
    bad: [{ rootId: "root_1" }, { rootId: "root_1", nodeId: null, model: "x" }],
  },
  "run.summarize": { good: { runId: "run_1" }, bad: [{}] },
  "run.continue": { good: { runId: "run_1" }, bad: [{ runId: 1 }] },
  "waiting.change": {
    good: { runId: "run_1", id: "node_1", version: 2, text: "No.", deliver: "queue", state: "held", before: null },
    bad: [
      { runId: "run_1", id: "node_1" },
      { runId: "run_1", id: "node_1", version: 0 },
      { runId: "run_1", id: "node_1", version: 1, deliver: "refuse" },
      { runId: "run_1", id: "node_1", version: 1, state: "sent" },
    ],
  },
  "waiting.withdraw": {
    good: { runId: "run_1", id: "node_1", version: 1 },
    bad: [{ runId: "run_1", version: 1 }],
  },
  "approval.answer": {
    good: {
      runId: "run_1",
      callId: "toolu_01 (odd)",
      argumentsHash: "ab".repeat(32),
      decision: "deny",
      remember: "once",
      note: "Use the mirror.",
    },
    bad: [
      { runId: "run_1", callId: "c", argumentsHash: "AB".repeat(32), decision: "deny", remember: "once" },
      { runId: "run_1", callId: "c", argumentsHash: "ab".repeat(32), decision: "maybe", remember: "once" },
      { runId: "run_1", callId: "c", argumentsHash: "ab".repeat(32), decision: "allow", remember: "forever" },
      { runId: "run_1", callId: "", argumentsHash: "ab".repeat(32), decision: "allow", remember: "once" },
      { runId: "run_1", callId: "c", argumentsHash: "ab".repeat(32), decision: "allow" },
      { runId: "run_1", callId: "c", argumentsHash: "ab", decision: "allow", remember: "always" },
    ],
  },
  "approval.rules": { good: { rootId: null }, bad: [{}, { rootId: "" }] },
  "approval.forget": { good: { ruleId: "rule_1/root_1" }, bad: [{}, { ruleId: "a b" }] },
  "question.answer": {
    good: { runId: "run_1", callId: "c", answers: [{ chosen: ["tea", "coffee"], note: "both" }] },
    bad: [
      { runId: "run_1", callId: "c", answers: [] },
      { runId: "run_1", callId: "c", answers: [{ chosen: Array.from({ length: 102 }, () => "a") }] },
      { runId: "run_1", callId: "c", answers: [{ chosen: [" "] }] },
      { runId: "run_1", callId: "c", answers: Array.from({ length: 21 }, () => ({ chosen: ["a"] })) },
      { runId: "run_1", callId: "c" },
    ],
  },
  "conversation.rules": {
    good: { rootId: "root_1", approvals: "none", callPolicy: null, budget: { tokens: 1, dollars: 0.01, subAgents: 0 } },
    bad: [
      { rootId: "root_1", approvals: "some" },
      { rootId: "root_1", callPolicy: "all" },
      { rootId: "root_1", budget: { tokens: 0 } },
      { rootId: "root_1", budget: { dollars: 0 } },
      { rootId: "root_1", budget: { steps: 1.5 } },
      { rootId: "root_1", budget: { minutes: 3 } },
    ],
  },
  "conversation.trace": { good: { rootId: "root_1" }, bad: [{}] },
  "conversation.usage": { good: { rootId: "root_1" }, bad: [{}] },
  "conversation.segment": {
    good: { rootId: "root_1", nodeId: null, end: "leaf", messages: 200, bytes: 500_000 },
    bad: [
      { rootId: "root_1", nodeId: null, end: "leaf", messages: 0, bytes: 500_000 },
      { rootId: "root_1", nodeId: null, end: "leaf", messages: 200, bytes: 10_000_000 },
      { rootId: "root_1", nodeId: null, end: "middle", messages: 200, bytes: 500_000 },
    ],
  },
  "canvas.create": {
    good: { title: "Notes", text: "# Notes\n", folderPath: "Plans/2026" },
    bad: [{}, { title: "Notes", text: 1 }, { title: "Notes", folderPath: "/Plans" }],
  },
  "canvas.duplicate": { good: { canvasId: "doc/1/2", title: "Twin" }, bad: [{}, { canvasId: "doc/1/2", title: "" }] },
  "canvas.arrange": {
    good: { canvasId: "doc/1/2", title: "New", folderPath: "", pinned: true, archived: false },
    bad: [
      {},
      { canvasId: "doc/1/2", title: " " },
      { canvasId: "doc/1/2", folderPath: "a//b" },
      { canvasId: "doc/1/2", folderPath: "../b" },
      { canvasId: "doc/1/2", pinned: "yes" },
    ],
  },
  "canvas.move-folder": { good: { from: "Plans", to: "Work/Plans" }, bad: [{ from: "Plans" }, { from: "a/", to: "" }] },
  "canvas.set-policy": {
    good: { canvasId: "doc/1/2", policy: "lease" },
    bad: [{ canvasId: "doc/1/2", policy: "anarchy" }],
  },
  "canvas.default-policy": { good: {}, bad: ["live"] },
  "canvas.set-default-policy": { good: { policy: "suggest" }, bad: [{}, { policy: "open" }] },
  "canvas.take-control": { good: { canvasId: "doc/1/2" }, bad: [{}] },
  "canvas.hashes": { good: { canvasId: "doc/1/2" }, bad: [{}] },
  "canvas.revisions": {
    good: { canvasId: "doc/1/2", beforeVersion: 7, limit: 10 },
    bad: [{}, { canvasId: "doc/1/2", limit: 0 }, { canvasId: "doc/1/2", beforeVersion: -1 }],
  },
  "canvas.compare": {
    good: { canvasId: "doc/1/2", from: "1-0123abcd", to: null },
    bad: [
      { canvasId: "doc/1/2", from: "1-0123abcd" },
      { canvasId: "doc/1/2", from: "latest", to: null },
    ],
  },
  "canvas.restore": {
    good: { canvasId: "doc/1/2", revisionId: "1-0123abcd" },
    bad: [{ canvasId: "doc/1/2" }, { canvasId: "doc/1/2", revisionId: "1" }],
  },
  "canvas.name-version": {
    good: { canvasId: "doc/1/2", revisionId: null, name: "Sent to the press" },
    bad: [
      { canvasId: "doc/1/2", name: "Sent" },
      { canvasId: "doc/1/2", revisionId: "1", name: "Sent" },
      { canvasId: "doc/1/2", revisionId: null, name: "x".repeat(201) },
    ],
  },
  "canvas.suggestions": {
    good: { canvasId: "doc/1/2", decided: true },
    bad: [{}, { canvasId: "doc/1/2", decided: 1 }],
  },
  "canvas.text": {
    good: { canvasId: "doc/1/2", revisionId: null },
    bad: [{ canvasId: "doc/1/2" }, { canvasId: "doc/1/2", revisionId: "1" }],
  },
  "canvas.bring": {
    good: { canvasId: "doc/1/2", revisionId: "1-0123abcd" },
    bad: [{ canvasId: "doc/1/2" }, { canvasId: "doc/1/2", revisionId: null }],
  },
  "draft.list": { good: { canvasId: "doc/1/2" }, bad: [{}] },
  "draft.read": { good: { canvasId: "doc/1/2", draftId: "draft_1" }, bad: [{ canvasId: "doc/1/2" }] },
  "draft.write": {
    good: {
      canvasId: "doc/1/2",
      draftId: "draft_1",
      baseHash: "0".repeat(64),
      changes: [{ from: 0, to: 1, insert: "a" }],
    },
    bad: [{ canvasId: "doc/1/2", draftId: "draft_1", baseHash: "0", changes: [] }],
  },
  "draft.take": {
    good: { canvasId: "doc/1/2", draftId: "draft_1", hunkIds: ["sug_1.1"], overruled: ["sug_1.1"] },
    bad: [{ canvasId: "doc/1/2" }, { canvasId: "doc/1/2", draftId: "draft_1", hunkIds: [] }],
  },
  "draft.drop": { good: { canvasId: "doc/1/2", draftId: "draft_1" }, bad: [{ canvasId: "doc/1/2" }] },
  "canvas.keep-hunks": {
    good: { canvasId: "doc/1/2", hunkIds: ["sug_1.1"], asFarAsPossible: true },
    bad: [
      {},
      { canvasId: "doc/1/2", hunkIds: [] },
      { canvasId: "doc/1/2", hunkIds: Array.from({ length: 2_001 }, () => "sug_1.1") },
    ],
  },
  "canvas.reject-hunks": {
    good: { canvasId: "doc/1/2" },
    bad: [{ hunkIds: ["sug_1.1"] }, { canvasId: "doc/1/2", hunkIds: [1] }],
  },
  "block.undo-mine": { good: { blockId: "doc/1/2" }, bad: [{ blockId: "a b" }] },
  "block.redo-mine": { good: { blockId: "doc/1/2" }, bad: [{}] },
  "block.origins": {
    good: { blockId: "doc/1/2", ops: [{ replica: 1, seq: 0 }] },
    bad: [
      { blockId: "doc/1/2" },
      { blockId: "doc/1/2", ops: [{ replica: 0, seq: 0 }] },
      { blockId: "doc/1/2", ops: [{ replica: 1, seq: -1 }] },
    ],
  },
  "block.turn-change": { good: { blockId: "doc/1/2", turnId: "turn_1" }, bad: [{ blockId: "doc/1/2" }] },
  "block.turns": { good: { blockId: "doc/1/2" }, bad: [[]] },
  "comment.list": { good: { blockId: "doc/1/2", state: "all" }, bad: [{}, { blockId: "doc/1/2", state: "new" }] },
  "comment.add": {
    good: { blockId: "doc/1/2", range: { lines: "14-15", quote: "the loom", occurrence: 2 }, text: "Which?" },
    bad: [
      { blockId: "doc/1/2", text: "" },
      { blockId: "doc/1/2", text: "Which?", range: { units: [] } },
      { blockId: "doc/1/2", text: "Which?", range: { from: 1 } },
      { blockId: "doc/1/2", text: "x".repeat(16_001) },
    ],
  },
  "comment.export": {
    good: { blockId: "doc/1/2", comments: "footnotes", resolved: true },
    bad: [{ blockId: "doc/1/2" }, { blockId: "doc/1/2", comments: "marks" }],
  },
  "comment.reply": { good: { threadId: "c4k9x2az", text: "That one." }, bad: [{ threadId: "4k9", text: "x" }, {}] },
  "comment.edit": { good: { threadId: "c4k9x2az", seq: 2, text: "This." }, bad: [{ threadId: "c4k9x2az", text: "x" }] },
  "comment.withdraw": { good: { threadId: "c4k9x2az", seq: 2 }, bad: [{ threadId: "c4k9x2az", seq: 0 }] },
  "comment.resolve": { good: { threadId: "c4k9x2az", text: "Done." }, bad: [{ threadId: "" }] },
  "comment.reopen": { good: { threadId: "c4k9x2az" }, bad: [{}] },
  "comment.move": { good: { threadId: "c4k9x2az", range: { quote: "loom" } }, bad: [{ range: {} }] },
  "comment.paste": {
    good: {
      blockId: "doc/1/2",
      units: [{ replica: 2, seq: 0, length: 3 }],
      from: { blockId: "doc/1/1", units: [{ replica: 1, seq: 4, length: 3 }] },
    },
    bad: [{ blockId: "doc/1/2", units: [], from: { blockId: "doc/1/1", units: [] } }, { blockId: "doc/1/2" }],
  },
  "comment.delete": { good: { threadId: "c4k9x2az" }, bad: [{ threadId: 4 }] },
  "turn.undo": { good: { turnId: "turn_1" }, bad: [{}] },
  "turn.redo": { good: { turnId: "turn_1" }, bad: ["turn_1"] },
  "block.delete": { good: { blockId: "doc/1/1" }, bad: [{}, { blockId: "" }] },
  "trash.list": { good: { after: "trash_1", limit: 500 }, bad: [{ limit: 0 }, { limit: 501 }, { after: "" }] },
  "trash.restore": { good: { trashId: "trash_1" }, bad: [{}] },
  "trash.purge": { good: { trashId: "trash_1" }, bad: [{ trashId: 3 }] },
  "trash.settings": { good: {}, bad: ["all"] },
  "trash.set-settings": {
    good: { keptDays: null },
    bad: [{}, { keptDays: 0 }, { keptDays: 366 }, { keptDays: 1.5 }, { keptDays: "never" }],
  },
  "models.syntaxes": { good: {}, bad: ["all", 3] },
  "models.ask": { good: {}, bad: ["all", 3] },
  "models.list": { good: {}, bad: ["all", 3] },
  "provider.list": { good: {}, bad: ["all"] },
  "provider.set-key": {
    good: { provider: "openai", key: "sk-0123456789" },
    bad: [
      { provider: "openai" },
      { provider: "Open AI", key: "sk-0123456789" },
      { provider: "__proto__", key: "sk-0123456789" },
      { provider: "openai", key: "short" },
      { provider: "openai", key: "sk-01234\n56789" },
      { provider: "openai", key: "x".repeat(513) },
    ],
  },
  "search.all": {
    good: { words: "quick swallow", kinds: ["message", "tool"], limit: 5 },
    bad: [{}, { words: "a", kinds: ["bird"] }, { words: "a", limit: 0 }],
  },
  "file.conflict": { good: { blockId: "doc_1/1/1" }, bad: [{}, { blockId: 1 }] },
  "file.bring-back": { good: { blockId: "doc_1/1/1" }, bad: [{}, { blockId: 1 }] },
  "provider.test": {
    good: { provider: "openai", address: "http://127.0.0.1:8080/v1", api: "openai-chat", key: "sk-0123456789" },
    bad: [
      { address: "ftp://a.example" },
      { address: "http://me:secret@a.example" },
      { address: "a" },
      { key: "short" },
    ],
  },
  "provider.add": {
    good: { name: "House", address: "http://127.0.0.1:8080/v1", key: "sk-0123456789" },
    bad: [
      {},
      { name: "", address: "http://a.example" },
      { name: "House" },
      { name: "a\nb", address: "http://a.example" },
    ],
  },
  "provider.change": {
    good: { provider: "openai", address: null, models: ["gpt-5"] },
    bad: [{}, { provider: "openai", address: "x" }, { provider: "openai", models: ["two words"] }],
  },
  "provider.remove": { good: { provider: "house" }, bad: [{}, { provider: "" }] },
  "models.set-default": { good: { model: null }, bad: [{}, { model: "x" }] },
  "mcp.add": {
    good: { server: "files", reach: { type: "stdio", command: "npx", args: ["-y"], env: { A_KEY: "x" } } },
    bad: [
      {},
      { server: "files", reach: { type: "stdio", command: "" } },
      { server: "files", reach: { type: "stdio", command: "npx", env: { "a b": "x" } } },
      { server: "files", reach: { type: "http", url: "http://me:secret@a.example" } },
      { server: "files", reach: { type: "http", url: "http://a.example", headers: { authorization: "a\r\nb: c" } } },
      { server: "files", reach: { type: "sse", url: "http://a.example" } },
    ],
  },
  "mcp.remove": { good: { server: "files" }, bad: [{}, { server: "" }] },
  "mcp.test": { good: { server: "files" }, bad: [{}, { server: "" }] },
  "provider.remove-key": { good: { provider: "my-own.1" }, bad: [{}, { provider: "" }] },
  "mcp.list": { good: {}, bad: ["all"] },
  "mcp.set-enabled": {
    good: { server: "Brave Search", enabled: false },
    bad: [
      { server: "a" },
      { server: "", enabled: true },
      { server: "a\n", enabled: true },
      { server: "a", enabled: 1 },
    ],
  },
  "mcp.reload": { good: { server: "a" }, bad: [{ server: null }, { server: "x".repeat(65) }] },
  "mcp.sign-in": {
    good: { server: "a", origin: "https://heddle.example" },
    bad: [{}, { server: "a", origin: "https://heddle.example/path" }, { server: "a", origin: "javascript:alert(1)" }],
  },
  "mcp.sign-out": { good: { server: "a" }, bad: [{}] },
  "mcp.offers": { good: {}, bad: ["all"] },
  "mcp.attach": {
    good: { server: "a", uri: "file:///a" },
    bad: [{ server: "a" }, { server: "a", uri: "x".repeat(2_001) }],
  },
  "mcp.prompt": {
    good: { server: "a", prompt: "review", values: { change: "the first" } },
    bad: [
      { server: "a", prompt: "review" },
      { server: "a", prompt: "review", values: { change: 1 } },
    ],
  },
  "mcp.view": { good: { tool: "files_show" }, bad: [{}] },
  "mcp.accept-tool": {
    good: { server: "a", tool: "b.c", hash: "0".repeat(64) },
    bad: [
      { server: "a", tool: "b" },
      { server: "a", tool: "b", hash: "0" },
      { server: "a", tool: "", hash: "0".repeat(64) },
    ],
  },
};
