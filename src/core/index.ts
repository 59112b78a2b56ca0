// `heddle/core`: everything that decides, without a platform. Values in, values out; it runs in a browser as on a server.

export type { Actor, ModelActor, PersonActor, SystemActor } from "./base/actor.ts";
export type { Brand } from "./base/brand.ts";
export { errorTable, refusal } from "./base/errors.ts";
export type { ErrorCode, ErrorRow, Refusal } from "./base/errors.ts";
export type {
  ActorId,
  BlockId,
  DocumentId,
  HunkId,
  LeaseId,
  NodeId,
  RequestId,
  RootId,
  RunId,
  SuggestionId,
  ToolCallId,
  TurnId,
} from "./base/ids.ts";
export { canonicalJson, stableDeepEqual } from "./base/json.ts";
export type { Json, JsonObject } from "./base/json.ts";
export { isNonEmpty } from "./base/non-empty.ts";
export type { NonEmptyArray } from "./base/non-empty.ts";
export { err, ok } from "./base/result.ts";
export type { Err, Ok, Result } from "./base/result.ts";

export { createDocument, decodeDocument } from "./text/document.ts";
export type {
  AgentId,
  BlameSpan,
  MergedUpdate,
  OpId,
  OpSpan,
  TextChange,
  TextDocument,
  TextEdit,
  TextLimits,
  TextRefusal,
  TextVersion,
} from "./text/types.ts";

export type { CanvasRevision } from "./block/canvas-revision.ts";
export { diffChanges } from "./block/diff-changes.ts";
export { planLineEdits } from "./block/line-edit.ts";
export type { LineOperation } from "./block/line-edit.ts";
export { createHunkPlacer } from "./block/hunk-place.ts";
export type { AuthoredText, HunkStanding } from "./block/hunk-place.ts";
export { planPatch } from "./block/patch/apply.ts";
export type { PatchPlan } from "./block/patch/apply.ts";
export type { HunkPlaced, HunkRejected, HunkVerdict, PatchWarning } from "./block/patch/types.ts";
export { unifiedDiff } from "./block/patch/unified-diff.ts";
export type { UnifiedDiffOptions } from "./block/patch/unified-diff.ts";
export { searchText } from "./block/search.ts";
export type { SearchQuery, SearchResult } from "./block/search.ts";
export { planSplice } from "./block/splice.ts";
export type { OffsetUnit, Splice } from "./block/splice.ts";
export { isOpen as isOpenSuggestion, openHunks, takeSuggestions } from "./block/suggestion.ts";
export type {
  HunkAnchor,
  HunkDecision,
  HunkState,
  SuggestedHunk,
  Suggestion,
  SuggestionReason,
} from "./block/suggestion.ts";
export { applyChanges } from "./block/text-change.ts";
export { blockKinds } from "./block/kinds.ts";
export { blockRoles, blockStatuses, editPolicies } from "./block/types.ts";
export type { BlockKind } from "./block/kinds.ts";
export type {
  BlockChange,
  BlockChangeBody,
  BlockHeader,
  BlockRole,
  BlockStatus,
  EditPolicy,
  KeptHunks,
  UndoUnit,
} from "./block/types.ts";

export { checkLease, freeLease, transition as leaseTransition } from "./lease/transition.ts";
export type { LeaseClaim, LeaseEvent, LeaseInstant } from "./lease/transition.ts";
export type { HeldLease, Lease } from "./lease/types.ts";

export { coalesceTextOnlyAdjacent } from "./message/coalesce.ts";
export { textOf } from "./message/content.ts";
export {
  isAssistantMessage,
  isFileBlock,
  isImageBlock,
  isNoticeBlock,
  isOpaqueBlock,
  isRefusalBlock,
  isSystemMessage,
  isTextBlock,
  isThinkingBlock,
  isToolMessage,
  isToolUseBlock,
  isUserMessage,
} from "./message/guards.ts";
export {
  InvalidMessageError,
  isMessageV2,
  legacyToContentBlocks,
  normalizeMessage,
  ToolArgumentParseError,
  v2ToLegacyMessage,
} from "./message/legacy.ts";
export { isSameMessage, normalizeForComparison } from "./message/normalize.ts";
export type { Match } from "./message/normalize.ts";
export { readMessage } from "./message/read.ts";
export { readAnyMessage } from "./message/read-legacy.ts";
export type { LegacyMessage, LegacyToolCall, MessageContext, MessageV2, ToolMessageV2 } from "./message/read-legacy.ts";
export { clampMaxTokens, estimateInputTokens, fitMaxTokens, unknownModelCaps } from "./message/tokens.ts";
export type { TokenCaps } from "./message/tokens.ts";
export type {
  AssistantContentBlock,
  AssistantMessage,
  CanvasUpdate,
  ContentBlock,
  FileBlock,
  ImageBlock,
  MediaSource,
  Message,
  MessageRole,
  NativeExtras,
  NoticeBlock,
  OpaqueBlock,
  RefusalBlock,
  SystemMessage,
  TextBlock,
  ThinkingBlock,
  ToolContentBlock,
  ToolMessage,
  ToolOutcome,
  ToolUseBlock,
  UserContentBlock,
  UserMessage,
} from "./message/types.ts";
export { toolOutcomes } from "./message/types.ts";
export { noUsage } from "./message/usage.ts";
export type { Usage } from "./message/usage.ts";

export { matchingChild, planAppend, prepareAppend } from "./forest/append.ts";
export type { AppendPlan, HashedMessage } from "./forest/append.ts";
export { arrange } from "./forest/arrange.ts";
export type { ArrangedTree, Mending, NodeProblem } from "./forest/arrange.ts";
export { configHashOf } from "./forest/config-hash.ts";
export { planContentEdit } from "./forest/content-edit.ts";
export type { ContentEdit, ContentEditPlan } from "./forest/content-edit.ts";
export { blobIdsOf, exportForest, exportJson } from "./forest/export.ts";
export type { ExportWish } from "./forest/export.ts";
export { portableOf, readFileStore } from "./forest/file-store.ts";
export type { FileProblem, FileStoreFolder, FileStoreForest, FileStoreRoot, StoredFile } from "./forest/file-store.ts";
export { readFileStoreBookmarks, readFileStoreNode, readFileStoreRoots } from "./forest/file-store-entities.ts";
export type {
  FileStoreBookmark,
  FileStoreNode,
  FileStoreRootEntry,
  FileStoreSource,
  ReadEntries,
} from "./forest/file-store-entities.ts";
export { planImport } from "./forest/import.ts";
export type { ImportPlan, ImportWish } from "./forest/import.ts";
export { linkOutlines, outlineOf } from "./forest/outline.ts";
export type { LinkedOutline } from "./forest/outline.ts";
export type {
  ForestExport,
  PortableBlob,
  PortableBookmark,
  PortableNode,
  PortableRoot,
  PortableTreeNode,
} from "./forest/portable.ts";
export { readableExport } from "./forest/readable.ts";
export type { ReadableFormat } from "./forest/readable.ts";
export { readExport } from "./forest/read-export.ts";
export { readTomlTables } from "./forest/toml-tables.ts";
export type { TomlTables } from "./forest/toml-tables.ts";
export { planDelete } from "./forest/delete.ts";
export type { DeleteMode, DeleteSurroundings } from "./forest/delete.ts";
export type { ForestChange, NodeSurroundings } from "./forest/forest-change.ts";
export { prefixHash } from "./forest/prefix-hash.ts";
export { planSplit } from "./forest/split.ts";
export { approvalTiers, callPolicies } from "./forest/run-rules.ts";
export type { ApprovalTier, Budget, CallPolicy } from "./forest/run-rules.ts";
export type { SplitPlan, SplitWish } from "./forest/split.ts";
export type {
  Bookmark,
  ForestNode,
  ForestRoot,
  ModelRequestFacts,
  NodeOutline,
  NodeVariant,
  SeenCanvas,
} from "./forest/types.ts";
export { recordVariant, timesSaid } from "./forest/variants.ts";

export { costOf, costsOf } from "./model/cost.ts";
export type { Costs } from "./model/cost.ts";
export { failureClasses } from "./model/failure.ts";
export type { ErrorKind, FailureClass, ModelFailure } from "./model/failure.ts";
export type { ModelRequest, ToolDefinition } from "./model/request.ts";
export type { Spent } from "./model/spent.ts";
export type { StopReason, StreamPart } from "./model/stream-part.ts";

export type { ToolReach } from "./tool/reach.ts";
export type { ApprovalReason, ApprovalRequest, ApprovalRule, RememberedFor } from "./turn/approval.ts";
export type { TurnContext } from "./turn/context.ts";
export type { PerformedEffect, SavedEffect, TurnEffect } from "./turn/effect.ts";
export type { TurnEvent } from "./turn/event.ts";
export type { FeedRecord, RunFeedBody, RunStatus } from "./turn/feed.ts";
export { isAtRest } from "./turn/precheck.ts";
export type { Answer, Question, QuestionOption } from "./turn/question.ts";
export type { TurnSettings } from "./turn/settings.ts";
export type { CancelReason, ToolCall, TurnState } from "./turn/state.ts";
export type { SubAgent, SubAgentOutcome } from "./turn/sub-agent.ts";
export { transition as turnTransition } from "./turn/transition.ts";
export type { TurnStep, Verdict } from "./turn/step.ts";

export type { LanguageModel, MediaLimits, ModelCatalogue, ModelInfo } from "./port/language-model.ts";
export type { BlobEntry, BlobRef, BlobStore } from "./port/blobs.ts";
export type { EstimatedInput, TokenEstimate, TokenEstimator } from "./port/token-estimator.ts";
export type { ModelPrices } from "./model/prices.ts";
export type { Clock, LogFields, Logger, Platform, Random } from "./port/platform.ts";
export type { FoundTexts, KeptTexts, SearchBounds, Searcher } from "./port/searcher.ts";
export type {
  AgentRecord,
  ChangeQuery,
  EffectRecord,
  LeaseWrite,
  LogStart,
  QueuedMessage,
  RevisionQuery,
  RunRecord,
  SnapshotRecord,
  Store,
  StoreRefusal,
  StoreWrite,
  WordMatch,
  WordQuery,
} from "./port/store.ts";
