import * as v from "valibot";
import { quotings } from "../../rights/rights-row.ts";
import { roles } from "../../rights/role.ts";
import { command } from "../base/command-row.ts";
import { count, described, nothing, rootId, sha256, shown } from "../base/parts.ts";
import {
  groupId,
  linkId,
  linkRole,
  personId,
  reader,
  role,
  seeing,
  sharedGroup,
  sharedLink,
  sharedThing,
  sharing,
} from "../shape/shared.ts";

const on = described(sharedThing, "What is shared.");
/** Who is given a role. */
const subject = v.variant("type", [
  v.object({ type: v.literal("person"), id: personId }),
  v.object({ type: v.literal("group"), id: groupId }),
  v.object({ type: v.literal("everyone") }),
]);

export const shareCommands = {
  "share.list": command({
    description: "Says who can see a thing, by which role, and from where they have it.",
    params: v.object({ on }),
    access: seeing,
    answer: v.object({
      people: v.array(reader),
      groups: described(v.array(sharedGroup), "The groups that were given a role on the thing itself."),
      everyone: described(
        v.nullable(v.picklist(roles)),
        "The role of everyone in the workspace on the thing itself; null: none.",
      ),
      inherits: described(v.boolean(), "Whether the roles on what it lies in count here."),
      mayShare: described(v.boolean(), "Whether the caller may change any of this."),
      quoting: described(
        v.nullable(v.picklist(quotings)),
        "Whether agents in a conversation quote what all its readers may read, or what those may who ask; null: it is none.",
      ),
      links: described(v.array(sharedLink), "The share links to it, for who may share it; nobody else sees any."),
    }),
    refusals: ["FORBIDDEN", "BLOCK_NOT_FOUND", "ROOT_NOT_FOUND", "FOLDER_NOT_FOUND"],
  }),
  "share.give": command({
    description: "Gives a person, a group or everyone in the workspace a role on a thing, or takes it.",
    params: v.object({
      on,
      to: described(subject, "Who gets it."),
      role: described(v.nullable(role), "null takes the role away; everyone cannot be owner."),
    }),
    access: sharing,
    answer: nothing,
    refusals: ["FORBIDDEN", "NOT_FOUND", "LAST_OWNER", "INVALID_PARAMS", "FOLDER_NOT_FOUND"],
  }),
  "share.inherit": command({
    description: "Says whether the roles on what a thing lies in count for it too; who closes it owns it.",
    params: v.object({ on, inherits: v.boolean() }),
    access: sharing,
    answer: nothing,
    refusals: ["FORBIDDEN", "NOT_FOUND", "LAST_OWNER", "FOLDER_NOT_FOUND"],
  }),
  "share.quoting": command({
    description:
      "Says what agents may read and quote in a conversation: what all may read who can see it (`readers`, as long as nobody says otherwise), or what those may read for whom a turn works (`askers`).",
    params: v.object({ rootId, by: v.picklist(quotings) }),
    access: ({ rootId: id }) => ["conversation.share", { type: "conversation", id }],
    answer: nothing,
    refusals: ["FORBIDDEN", "ROOT_NOT_FOUND"],
  }),
  "share.unseen": command({
    description:
      "Names the documents whose text may be in a conversation, and that not everybody may read to whom it would be shared; of those the caller may not read none is named.",
    params: v.object({
      rootId,
      to: described(
        v.variant("type", [...subject.options, v.object({ type: v.literal("link") })]),
        "To whom: a person, a group, everyone in the workspace, or whoever has a link.",
      ),
    }),
    access: ({ rootId: id }) => ["conversation.see-quoted", { type: "conversation", id }],
    answer: v.object({
      documents: described(v.array(v.object({ blockId: shown("doc_01/1/0"), title: shown("Wages") })), "At most 100."),
      total: described(count, "How many there are."),
    }),
    refusals: ["FORBIDDEN", "ROOT_NOT_FOUND"],
  }),
  "share.link": command({
    description:
      "Registers a share link, whose secret the caller makes of 32 random bytes in base64url: the server learns and keeps only its hash, and whoever opens ORIGIN/#visit=SECRET may read the thing until the link ends.",
    params: v.object({
      on,
      hash: described(sha256, "SHA-256 of the secret, in hex digits."),
      proofHash: v.exactOptional(
        described(
          sha256,
          "With a password: SHA-256 of its proof, in hex digits. The proof is PBKDF2-HMAC-SHA-256 of the password (NFKC) with the secret as salt, 600,000 rounds, 32 bytes in hex digits; visitors send it, and the server never learns the password.",
        ),
      ),
      role: linkRole,
      expiresAt: described(count, "UTC milliseconds; at most 90 days from now."),
    }),
    access: sharing,
    answer: v.object({ linkId: v.string() }),
    refusals: ["FORBIDDEN", "INVALID_PARAMS", "SETTING_LOCKED", "FOLDER_NOT_FOUND"],
  }),
  "share.end-link": command({
    description: "Ends a share link at once, also on pages that are open.",
    params: v.object({ on, linkId }),
    access: sharing,
    answer: nothing,
    refusals: ["FORBIDDEN", "NOT_FOUND", "FOLDER_NOT_FOUND"],
  }),
};
