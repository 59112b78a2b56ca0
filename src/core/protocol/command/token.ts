import * as v from "valibot";
import { onWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { rights } from "../../rights/token-right.ts";
import { canvasId, described, folderId, idForm, label, nothing, rootId, sha256, shown } from "../base/parts.ts";

const tokenIdText = v.pipe(
  v.string(),
  v.regex(idForm, "an id"),
  v.description("Id of a token."),
  v.examples(["token_01"]),
);
const listed = 200;
const scope = v.nullable(
  v.object({
    folderIds: v.optional(v.pipe(v.array(folderId), v.maxLength(listed)), []),
    rootIds: v.optional(v.pipe(v.array(rootId), v.maxLength(listed)), []),
    canvasIds: v.optional(v.pipe(v.array(canvasId), v.maxLength(listed)), []),
  }),
);
const rightList = v.pipe(v.array(v.picklist(rights)), v.minLength(1), v.maxLength(rights.length));
const time = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

export const tokenCommands = {
  "token.list": command({
    description: "Lists the scoped tokens, oldest first; none is shown itself.",
    params: nothing,
    access: onWorkspace("workspace.list-tokens"),
    answer: v.object({
      tokens: v.array(
        v.object({
          tokenId: shown("token_01"),
          name: shown("Claude Code"),
          rights: v.array(v.picklist(rights)),
          scope: v.nullable(
            v.object({
              folderIds: v.array(v.string()),
              rootIds: v.array(v.string()),
              canvasIds: v.array(v.string()),
            }),
          ),
          by: shown("Ada", "The person whose rights it uses."),
          createdAt: v.number(),
          expiresAt: v.nullable(v.number()),
        }),
      ),
    }),
  }),
  "token.create": command({
    description:
      "Registers a scoped token, which the caller makes of 32 random bytes in base64url: the server learns and keeps only its hash.",
    params: v.object({
      name: described(label, "Shown beside everything that its holder does."),
      hash: described(sha256, "SHA-256 of the token, in hex digits."),
      rights: described(
        rightList,
        "`read`; `write` documents and conversations; `run` models; `share` documents, conversations and folders.",
      ),
      scope: v.exactOptional(described(scope, "What it reaches; null, the default: the whole workspace.")),
      expiresAt: v.exactOptional(described(v.nullable(time), "UTC milliseconds; null, the default: never.")),
    }),
    access: onWorkspace("workspace.tokens"),
    answer: v.object({ tokenId: shown("token_01") }),
    refusals: ["INVALID_PARAMS"],
  }),
  "token.revoke": command({
    description: "Ends a token at once: its connections, its calls and its leases too.",
    params: v.object({ tokenId: tokenIdText }),
    access: onWorkspace("workspace.tokens"),
    answer: v.object({}),
    refusals: ["NOT_FOUND"],
  }),
};
