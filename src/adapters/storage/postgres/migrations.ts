/** One step from a schema to the next. Published steps never change. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  /**
   * The schema that a release must know to use the tables after this step; absent: this one. A step that only adds what
   * earlier releases pass over names an earlier one, and runs while nodes of those serve. One that takes away what a release
   * in between no longer uses names that release's.
   */
  readonly least?: number;
  readonly sql: string;
}

/** The schema that nodes know which do not say what they know. */
export const unnamedSchema = 20;

/** The tables of SQLite's schema, column for column, plus `writer`. Numbered independently of SQLite's. */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: "the first schema",
    sql: `
CREATE TABLE writer (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  holder text COLLATE "C" NOT NULL,
  batch bigint NOT NULL
) WITH (fillfactor = 10);
INSERT INTO writer (holder, batch) VALUES ('', 0);

CREATE TABLE conversations (
  place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  slug text COLLATE "C" NOT NULL UNIQUE,
  title text NOT NULL,
  system_prompt text NOT NULL,
  model text NOT NULL,
  canvas_id text COLLATE "C",
  cwd text NOT NULL,
  config_hash text COLLATE "C" UNIQUE,
  tool_syntax text COLLATE "C",
  parent_conversation_id text COLLATE "C" REFERENCES conversations (id),
  parent_run_id text COLLATE "C",
  approvals text COLLATE "C",
  call_policy text COLLATE "C",
  budget text,
  deleted_usage text,
  user_initiated smallint NOT NULL DEFAULT 1 CHECK (user_initiated IN (0, 1)),
  archived smallint NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);
CREATE INDEX conversations_by_parent ON conversations (parent_conversation_id)
  WHERE parent_conversation_id IS NOT NULL;

CREATE TABLE deleted_conversations (
  id text COLLATE "C" PRIMARY KEY,
  deleted_at bigint NOT NULL
);

CREATE TABLE messages (
  place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  conversation_id text COLLATE "C" NOT NULL REFERENCES conversations (id),
  sequence_id bigint NOT NULL,
  parent_id text COLLATE "C" REFERENCES messages (id) CHECK (parent_id <> id),
  prefix_hash text COLLATE "C" NOT NULL,
  message_hash text COLLATE "C" NOT NULL,
  message_type text NOT NULL CHECK (message_type IN ('user', 'agent', 'tool', 'system', 'error')),
  actor_kind text NOT NULL CHECK (actor_kind IN ('human', 'llm_agent', 'system')),
  run_id text COLLATE "C",
  turn_id text COLLATE "C",
  created_at bigint NOT NULL,
  display_data text NOT NULL,
  usage_data text,
  details text,
  content text NOT NULL
);
CREATE UNIQUE INDEX messages_in_order ON messages (conversation_id, sequence_id)
  INCLUDE (place, id, parent_id, message_type, created_at);
CREATE INDEX messages_by_parent ON messages (parent_id, conversation_id, sequence_id);
CREATE INDEX messages_by_prefix ON messages (conversation_id, prefix_hash, sequence_id);

CREATE TABLE message_index (
  place bigint NOT NULL REFERENCES messages (place) ON DELETE CASCADE,
  word_count integer NOT NULL,
  words tsvector NOT NULL,
  PRIMARY KEY (place) INCLUDE (word_count)
);
CREATE INDEX message_index_by_word ON message_index USING gin (words);

CREATE TABLE deleted_messages (
  id text COLLATE "C" PRIMARY KEY,
  conversation_id text COLLATE "C" NOT NULL REFERENCES conversations (id),
  deleted_at bigint NOT NULL
);
CREATE INDEX deleted_messages_by_conversation ON deleted_messages (conversation_id);

CREATE TABLE bookmarks (
  title text COLLATE "C" PRIMARY KEY,
  conversation_id text COLLATE "C" NOT NULL REFERENCES conversations (id),
  message_id text COLLATE "C" REFERENCES messages (id) ON DELETE CASCADE,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);
CREATE INDEX bookmarks_by_conversation ON bookmarks (conversation_id, title);
CREATE INDEX bookmarks_by_message ON bookmarks (message_id) WHERE message_id IS NOT NULL;

CREATE TABLE runs (
  place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  conversation_id text COLLATE "C" NOT NULL REFERENCES conversations (id),
  head_message_id text COLLATE "C",
  state text NOT NULL DEFAULT 'idle',
  state_data text NOT NULL,
  state_updated_at bigint NOT NULL,
  event_seq bigint NOT NULL CHECK (event_seq >= 0),
  turn_id text COLLATE "C",
  model text NOT NULL,
  queued text,
  context_used double precision,
  sub_agent text,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);
CREATE INDEX runs_by_conversation ON runs (conversation_id, place);
CREATE INDEX runs_unsettled ON runs (place)
  WHERE state NOT IN ('idle', 'error', 'context-exhausted', 'completed', 'failed');

CREATE VIEW conversation_states AS
  SELECT c.id, c.slug, c.cwd, c.parent_conversation_id, c.user_initiated, coalesce(r.state, 'idle') AS state,
    r.state_data, coalesce(r.state_updated_at, c.created_at) AS state_updated_at, c.created_at, c.updated_at, c.archived
  FROM conversations AS c LEFT JOIN runs AS r ON r.place = (
    SELECT place FROM runs WHERE conversation_id = c.id ORDER BY state_updated_at DESC, place DESC LIMIT 1);

CREATE TABLE effects (
  place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  run_id text COLLATE "C" NOT NULL REFERENCES runs (id),
  effect text NOT NULL,
  started_at bigint,
  due_at bigint
);
CREATE INDEX effects_by_run ON effects (run_id, place);

CREATE TABLE run_events (
  run_id text COLLATE "C" NOT NULL REFERENCES runs (id),
  seq bigint NOT NULL CHECK (seq >= 1),
  at bigint NOT NULL,
  event text NOT NULL,
  state text NOT NULL,
  state_hash text NOT NULL,
  PRIMARY KEY (run_id, seq)
);

CREATE TABLE feed (
  conversation_id text COLLATE "C" NOT NULL REFERENCES conversations (id),
  seq bigint NOT NULL CHECK (seq >= 1),
  at bigint NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (conversation_id, seq)
);

CREATE TABLE blocks (
  place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  document_id text COLLATE "C" NOT NULL,
  parent_id text COLLATE "C",
  role text NOT NULL,
  kind text NOT NULL,
  status text NOT NULL,
  version bigint NOT NULL CHECK (version >= 1),
  metadata text NOT NULL,
  collapsed smallint NOT NULL CHECK (collapsed IN (0, 1)),
  excluded smallint NOT NULL CHECK (excluded IN (0, 1)),
  policy text,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  deleted_at bigint
) WITH (fillfactor = 50);
CREATE INDEX blocks_by_document ON blocks (document_id, place);
CREATE INDEX blocks_of_files ON blocks (place) WHERE kind = 'file';

CREATE TABLE changes (
  place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  block_place bigint NOT NULL REFERENCES blocks (place),
  version bigint NOT NULL CHECK (version >= 1),
  actor text NOT NULL,
  at bigint NOT NULL,
  request_id text COLLATE "C",
  turn_id text COLLATE "C",
  body text NOT NULL,
  bytes bytea,
  UNIQUE (block_place, version)
);
CREATE UNIQUE INDEX changes_by_request ON changes (block_place, request_id) WHERE request_id IS NOT NULL;
CREATE INDEX changes_by_turn ON changes (turn_id, place) WHERE turn_id IS NOT NULL;

CREATE TABLE snapshots (
  block_id text COLLATE "C" PRIMARY KEY REFERENCES blocks (id),
  version bigint NOT NULL CHECK (version >= 1),
  bytes bytea NOT NULL
);

CREATE TABLE revisions (
  canvas_id text COLLATE "C" NOT NULL REFERENCES blocks (id),
  version bigint NOT NULL CHECK (version >= 1),
  revision_id text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  actor text NOT NULL,
  also_by text NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  text text NOT NULL,
  PRIMARY KEY (canvas_id, version)
);

CREATE TABLE suggestions (
  id text COLLATE "C" PRIMARY KEY,
  canvas_id text COLLATE "C" NOT NULL REFERENCES blocks (id),
  version bigint NOT NULL CHECK (version >= 1),
  is_open smallint NOT NULL CHECK (is_open IN (0, 1)),
  created_at bigint NOT NULL,
  touched_at bigint NOT NULL,
  record text NOT NULL
);
CREATE INDEX suggestions_by_canvas ON suggestions (canvas_id, created_at, id);
CREATE INDEX suggestions_open ON suggestions (canvas_id, created_at, id) WHERE is_open = 1;

CREATE TABLE log_starts (
  block_place bigint PRIMARY KEY REFERENCES blocks (place),
  version bigint NOT NULL CHECK (version >= 1),
  state text NOT NULL
);

CREATE TABLE trimmed_turns (
  turn_id text COLLATE "C" NOT NULL,
  block_place bigint NOT NULL REFERENCES blocks (place),
  PRIMARY KEY (turn_id, block_place)
);
CREATE INDEX trimmed_turns_by_block ON trimmed_turns (block_place);

CREATE TABLE block_words (
  block_id text COLLATE "C" PRIMARY KEY REFERENCES blocks (id),
  version bigint NOT NULL,
  words text NOT NULL
);
CREATE TABLE block_index (
  place bigint NOT NULL REFERENCES blocks (place),
  word_count integer NOT NULL,
  words tsvector NOT NULL,
  PRIMARY KEY (place) INCLUDE (word_count)
);
CREATE INDEX block_index_by_word ON block_index USING gin (words);

CREATE TABLE agents (
  agent integer PRIMARY KEY CHECK (agent BETWEEN 1 AND 2147483647),
  actor_id text COLLATE "C" NOT NULL,
  actor text NOT NULL,
  created_at bigint NOT NULL
);

CREATE TABLE leases (
  canvas_id text COLLATE "C" PRIMARY KEY,
  epoch bigint NOT NULL CHECK (epoch >= 0),
  lease_id text COLLATE "C",
  holder text COLLATE "C",
  holder_name text,
  expires_at_monotonic_ms double precision,
  expires_at double precision,
  revision_id_at_checkout text,
  last_revision_id text,
  CHECK ((lease_id IS NULL) = (holder IS NULL) AND (lease_id IS NULL) = (expires_at_monotonic_ms IS NULL))
);
CREATE FUNCTION leases_refuse() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation'; END $$;
CREATE TRIGGER leases_keep_their_epoch BEFORE UPDATE ON leases FOR EACH ROW WHEN (NEW.epoch < OLD.epoch)
  EXECUTE FUNCTION leases_refuse('an epoch never falls');
CREATE TRIGGER leases_are_kept BEFORE DELETE ON leases FOR EACH ROW
  EXECUTE FUNCTION leases_refuse('a lease row is never deleted');
`,
  },
  {
    version: 2,
    name: "requests and approval rules have tables of their own, and a run has its turn's settings",
    // Records under `request/` and `made-by-request/` named neither client nor request, so no repeat can match them.
    sql: `
CREATE TABLE requests (
  client_id text COLLATE "C" NOT NULL,
  request_id text COLLATE "C" NOT NULL,
  params_hash text NOT NULL,
  answer text NOT NULL,
  conversation_id text COLLATE "C" REFERENCES conversations (id),
  at bigint NOT NULL,
  PRIMARY KEY (client_id, request_id)
);
CREATE INDEX requests_by_conversation ON requests (conversation_id) WHERE conversation_id IS NOT NULL;
CREATE INDEX requests_by_time ON requests (at);

CREATE TABLE approval_rules (
  id text COLLATE "C" PRIMARY KEY,
  conversation_id text COLLATE "C" REFERENCES conversations (id),
  created_at bigint NOT NULL,
  record text NOT NULL
);
CREATE INDEX approval_rules_by_conversation ON approval_rules (conversation_id, created_at, id);
INSERT INTO approval_rules (id, conversation_id, created_at, record)
  SELECT rule ->> 'id', nullif(lists.root, 'always'), (rule ->> 'createdAt')::bigint, rule::text
  FROM (SELECT substr(key, length('approval-rules/') + 1) AS root, value::json AS value FROM meta
      WHERE key >= 'approval-rules/' AND key < 'approval-rules0') AS lists,
    json_array_elements(CASE WHEN json_typeof(lists.value -> 'rules') = 'array' THEN lists.value -> 'rules'
      ELSE '[]'::json END) AS rule
  WHERE json_typeof(rule) = 'object' AND json_typeof(rule -> 'id') = 'string'
    AND rule ->> 'createdAt' ~ '^[0-9]{1,15}$'
    AND (lists.root = 'always' OR lists.root IN (SELECT id FROM conversations))
  ON CONFLICT (id) DO NOTHING;

ALTER TABLE runs ADD COLUMN settings text;
UPDATE runs SET settings = meta.value FROM meta WHERE meta.key = 'turn-settings/' || runs.turn_id;

DELETE FROM meta WHERE key >= 'approval-rules/' AND key < 'approval-rules0'
  OR key >= 'turn-settings/' AND key < 'turn-settings0'
  OR key >= 'request/' AND key < 'request0'
  OR key >= 'made-by-request/' AND key < 'made-by-request0';
`,
  },
  {
    version: 3,
    name: "the number of an editing replica is called replica, not agent",
    // Inside a JSON string a quotation mark is escaped, so the search finds keys only.
    sql: `
ALTER TABLE agents RENAME TO replicas;
ALTER TABLE replicas RENAME COLUMN agent TO replica;
UPDATE changes SET body = replace(body, '"agent":', '"replica":') WHERE position('"agent":' IN body) > 0;
UPDATE suggestions SET record = replace(record, '"agent":', '"replica":') WHERE position('"agent":' IN record) > 0;
UPDATE log_starts SET state = replace(replace(state, '"agent":', '"replica":'), '"standing":', '"applied":');
UPDATE meta SET key = 'replica-of-client/' || substr(key, length('agent-of-client/') + 1),
    value = replace(value, '"agent":', '"replica":')
  WHERE key >= 'agent-of-client/' AND key < 'agent-of-client0';
UPDATE meta SET key = 'server-replica-of/' || substr(key, length('hand-of-agent/') + 1),
    value = replace(value, '"agent":', '"replica":')
  WHERE key >= 'hand-of-agent/' AND key < 'hand-of-agent0';
UPDATE meta SET key = 'page-replica-of/' || substr(key, length('owner-of-agent/') + 1),
    value = replace(value, '"agent":', '"replica":')
  WHERE key >= 'owner-of-agent/' AND key < 'owner-of-agent0';
`,
  },
  {
    version: 4,
    name: "what was deleted waits in the trash",
    sql: `
CREATE TABLE trash (
  id text COLLATE "C" PRIMARY KEY,
  object_id text COLLATE "C" NOT NULL UNIQUE,
  purge_at bigint,
  record text NOT NULL
);
CREATE INDEX trash_by_purge ON trash (purge_at, id) WHERE purge_at IS NOT NULL;
`,
  },
  {
    version: 5,
    name: "messages that wait for a run are rows",
    // A stored message ends with a brace, behind which the new fields go. Its id is only ever compared.
    sql: `
CREATE TABLE waiting_messages (
  id text COLLATE "C" PRIMARY KEY,
  run_id text COLLATE "C" NOT NULL REFERENCES runs (id),
  place bigint NOT NULL,
  record text NOT NULL
);
CREATE INDEX waiting_messages_by_run ON waiting_messages (run_id, place, id);
INSERT INTO waiting_messages (id, run_id, place, record)
  SELECT 'node_' || id, id, 1, substr(queued, 1, length(queued) - 1) ||
    ',"version":1,"state":"waiting","deliver":"queue","at":' || updated_at || '}'
  FROM runs WHERE queued IS NOT NULL;
ALTER TABLE runs DROP COLUMN queued;
`,
  },
  {
    version: 6,
    name: "conversations have their folder",
    // Which folder earlier conversations belong to is known when the server starts with one.
    sql: `
CREATE TABLE folders (
  place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  name text NOT NULL,
  path text COLLATE "C" NOT NULL,
  rights text COLLATE "C" NOT NULL,
  branch text COLLATE "C",
  trusted smallint CHECK (trusted IN (0, 1)),
  created_at bigint NOT NULL,
  removed_at bigint
);
ALTER TABLE conversations ADD COLUMN folder_id text COLLATE "C";
`,
  },
  {
    version: 7,
    name: "a conversation says how models are asked",
    sql: "ALTER TABLE conversations ADD COLUMN replies text;",
  },
  {
    version: 8,
    name: "deleted conversations and messages wait in the trash",
    sql: `
ALTER TABLE trash ADD COLUMN conversation_id text COLLATE "C";
CREATE INDEX trash_by_conversation ON trash (conversation_id) WHERE conversation_id IS NOT NULL;
ALTER TABLE conversations ADD COLUMN trashed_at bigint;
CREATE INDEX conversations_in_trash ON conversations (id) WHERE trashed_at IS NOT NULL;
CREATE TABLE trashed_messages (
  place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  trash_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL UNIQUE,
  conversation_id text COLLATE "C" NOT NULL,
  record text NOT NULL
);
CREATE INDEX trashed_messages_by_entry ON trashed_messages (trash_id, place);
CREATE INDEX trashed_messages_by_conversation ON trashed_messages (conversation_id);
`,
  },
  {
    version: 9,
    name: "a conversation says when its branches are summed up",
    sql: `
ALTER TABLE conversations ADD COLUMN compaction text;
`,
  },
  {
    version: 10,
    name: "conversations are pinned and have tags",
    sql: `
ALTER TABLE conversations ADD COLUMN pinned smallint NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1));
ALTER TABLE conversations ADD COLUMN tags text;
`,
  },
  {
    version: 11,
    name: "documents have threads of comments",
    sql: `
CREATE TABLE threads (
  id text COLLATE "C" PRIMARY KEY,
  block_id text COLLATE "C" NOT NULL REFERENCES blocks (id),
  version bigint NOT NULL CHECK (version >= 1),
  created_at bigint NOT NULL,
  record text NOT NULL
);
CREATE INDEX threads_by_block ON threads (block_id, created_at, id);
CREATE TABLE thread_turns (
  turn_id text COLLATE "C" NOT NULL,
  thread_id text COLLATE "C" NOT NULL REFERENCES threads (id),
  PRIMARY KEY (turn_id, thread_id)
);
CREATE INDEX thread_turns_by_thread ON thread_turns (thread_id);
`,
  },
  {
    version: 12,
    name: "revisions are stored as changes of the one before",
    sql: `
ALTER TABLE revisions ADD COLUMN changes_version bigint CHECK (changes_version < version);
`,
  },
  {
    version: 13,
    name: "a workspace keeps who may do what, and an audit log",
    sql: `
CREATE TABLE rights (
  key text COLLATE "C" PRIMARY KEY,
  seq bigint NOT NULL CHECK (seq >= 1),
  record text NOT NULL
);
CREATE INDEX rights_by_seq ON rights (seq, key);
CREATE TABLE audit (
  seq bigint PRIMARY KEY CHECK (seq >= 1),
  at bigint NOT NULL,
  record text NOT NULL
);
`,
  },
  {
    version: 14,
    name: "a message knows how many are above it",
    sql: `
ALTER TABLE messages ADD COLUMN depth bigint NOT NULL DEFAULT 0 CHECK (depth >= 0);
WITH RECURSIVE down (place, id, depth) AS (
  SELECT place, id, 0::bigint FROM messages WHERE parent_id IS NULL
  UNION ALL
  SELECT m.place, m.id, down.depth + 1 FROM down JOIN messages AS m ON m.parent_id = down.id)
UPDATE messages SET depth = down.depth FROM down WHERE messages.place = down.place AND down.depth > 0;
`,
  },
  {
    version: 15,
    name: "a team keeps how its people sign in",
    sql: `
CREATE TABLE sign_in (
  key text COLLATE "C" PRIMARY KEY,
  record text NOT NULL
);
`,
  },
  {
    version: 16,
    name: "turns of trimmed changes are kept for files alone, and the newest entries of each feed",
    sql: `
DELETE FROM trimmed_turns WHERE block_place IN (SELECT place FROM blocks WHERE kind <> 'file');
DELETE FROM feed WHERE seq <= (SELECT max(seq) - 128 FROM feed AS newest WHERE newest.conversation_id = feed.conversation_id);
`,
  },
  {
    version: 17,
    name: "several processes share a database, one of which writes",
    sql: `
CREATE SEQUENCE incarnations;
CREATE TABLE cluster (
  is_one boolean PRIMARY KEY DEFAULT true CHECK (is_one),
  secret text NOT NULL
);
CREATE TABLE nodes (
  node_id text COLLATE "C" PRIMARY KEY,
  incarnation bigint NOT NULL UNIQUE,
  state text NOT NULL CHECK (state IN ('live', 'draining', 'dead')),
  batch bigint NOT NULL,
  expires_at timestamptz NOT NULL,
  ttl interval NOT NULL,
  address text NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE owners (
  key text COLLATE "C" PRIMARY KEY,
  incarnation bigint,
  epoch bigint NOT NULL CHECK (epoch >= 0)
) WITH (fillfactor = 50);
`,
  },
  {
    version: 18,
    name: "an entry of a feed has its message in the messages alone",
    sql: `
DELETE FROM feed WHERE seq < (SELECT max(seq) FROM feed AS newest WHERE newest.conversation_id = feed.conversation_id);
`,
  },
  {
    version: 19,
    name: "a long snapshot is stored in pieces",
    sql: `
ALTER TABLE snapshots ADD COLUMN snapshot_id text COLLATE "C";
ALTER TABLE snapshots ADD COLUMN pieces integer NOT NULL DEFAULT 0 CHECK (pieces >= 0);
CREATE TABLE snapshot_pieces (
  block_id text COLLATE "C" NOT NULL,
  snapshot_id text COLLATE "C" NOT NULL,
  n integer NOT NULL CHECK (n >= 0),
  bytes bytea NOT NULL,
  PRIMARY KEY (block_id, snapshot_id, n)
);
`,
  },
  {
    version: 20,
    name: "texts of drafts are kept with messages",
    sql: `
CREATE TABLE draft_revisions (
  canvas_id text COLLATE "C" NOT NULL REFERENCES blocks (id),
  draft_id text COLLATE "C" NOT NULL,
  draft_version bigint NOT NULL CHECK (draft_version >= 1),
  version bigint NOT NULL CHECK (version >= 1),
  revision_id text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  actor text NOT NULL,
  also_by text NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  text text NOT NULL,
  changes_version bigint CHECK (changes_version < draft_version),
  PRIMARY KEY (canvas_id, draft_id, draft_version)
);
CREATE INDEX draft_revisions_by_id ON draft_revisions (canvas_id, revision_id);
`,
  },
  {
    version: 21,
    name: "suggestions are found by their draft",
    sql: `
ALTER TABLE suggestions ADD COLUMN draft_id text COLLATE "C";
UPDATE suggestions SET draft_id = record::json ->> 'draftId';
CREATE INDEX suggestions_by_draft ON suggestions (draft_id, created_at, id) WHERE draft_id IS NOT NULL;
`,
  },
  {
    version: 22,
    name: "nodes say which schema they know",
    least: 21,
    sql: `
CREATE TABLE node_schemas (
  incarnation bigint PRIMARY KEY,
  schema integer NOT NULL
);
`,
  },
];
