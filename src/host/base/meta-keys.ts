import type { BlockId, RootId } from "../../core/base/ids.ts";
import type { ReplicaId } from "../../core/text/types.ts";

/**
 * Every key of the store's `meta`: facts of the whole workspace. Facts of a conversation are not here; they have a table or
 * a column with the conversation's id, by which they are deleted.
 */
export const metaKeys = {
  /** The presets, and the active preset. */
  presets: "presets",
  /** The folder of file blocks from before files had folders. */
  firstFolder: "folders.first",
  /** The named system prompts. */
  prompts: "prompts",
  /** The windows of models that people set in the app. */
  modelWindows: "models.windows",
  /** What people chose about providers in the app: added ones, addresses, models; without keys. */
  providerChoices: "providers",
  /** The policy of new canvases. */
  canvasPolicy: "canvas-policy",
  /** The scoped tokens, by their hashes. */
  accessTokens: "access-tokens",
  /** The webhooks, without their secrets. */
  webhooks: "webhooks",
  /** The calls of a webhook: its log, and what waits. */
  webhookCalls: (webhookId: string) => `webhook-calls/${webhookId}`,
  /** What a person of a team spent on models, by day. */
  spentBy: (personId: string) => `spent-by/${personId}`,
  /** Which keys of providers single people set; the keys themselves are sealed elsewhere. */
  ownKeys: "own-keys",
  /** The browsers that are told what agents do. */
  pushBrowsers: "push.browsers",
  /** How long the trash keeps what is deleted. */
  trash: "trash",
  /** The threads of comments in which an agent's answer is awaited. */
  awaitedComments: "comments.awaited",
  /** In a team, the document in whose comments the agent of a conversation answers. */
  commentTalk: (rootId: RootId) => `comment-talk/${rootId}`,
  /** When the health check last wrote, to see whether writes work. */
  writesChecked: "writes.checked",
  /** When blobs were last swept. */
  blobsSwept: "blobs.swept",
  /** In a team, which documents and conversations have a blob, and who uploaded it. */
  blobUse: (blobId: string) => `blob-use/${blobId}`,
  /** Set once the uses of all blobs are recorded that there were before there was a team. */
  blobUsesFilled: "blob-uses.filled",
  /** What was learned about how models count tokens. */
  tokenCalibrations: "tokens.calibrations",
  /** The replica number of a client; see `clientKey`. */
  replicaOfClient: (client: string) => `replica-of-client/${client}`,
  /** Up to which number replicas may be in use without a record of their own. */
  reservedReplicas: "replicas.reserved",
  /** The server replica of a page. */
  serverReplicaOf: (replica: ReplicaId) => `server-replica-of/${replica}`,
  /** The page that a server replica writes for. */
  pageReplicaOf: (serverReplica: ReplicaId) => `page-replica-of/${serverReplica}`,
  /** The name under which clients know the server, and the epoch of the node that wrote it; only in a cluster. */
  boot: "boot",
  /** The state between a file block and its file. */
  file: (blockId: BlockId) => `file/${blockId}`,
} as const;
