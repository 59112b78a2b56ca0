import * as v from "valibot";
import { roles } from "../../rights/role.ts";
import { linkRoles } from "../../rights/rights-row.ts";
import type { GroupId, LinkId, PersonId } from "../../base/ids.ts";
import type { Access, Resource } from "../base/access.ts";
import { folderPath } from "../base/folder-path.ts";
import { blockId, described, folderId, idOf, rootId, shown, textUpTo, time } from "../base/parts.ts";
import { folderPathUnitsMax } from "../base/limits.ts";

export const personId = idOf<PersonId>("Id of a person with an account.", "person_01");
export const groupId = idOf<GroupId>("Id of a group.", "group_01");
export const linkId = idOf<LinkId>("Id of a share link.", "link_01");
export const role = v.pipe(
  v.picklist(roles),
  v.description("`viewer`, `commenter`, `editor` or `owner`; each may do what the ones before it may."),
);
export const linkRole = v.pipe(
  v.picklist(linkRoles),
  v.description("What who has the link may do: read, or also comment."),
);

/** What is shared. */
export const sharedThing = v.variant("type", [
  v.object({ type: v.literal("document"), id: blockId }),
  v.object({ type: v.literal("conversation"), id: rootId }),
  v.object({
    type: v.literal("folder"),
    id: folderId,
    path: v.exactOptional(described(textUpTo(folderPathUnitsMax), "A directory in it; the whole folder if left out.")),
  }),
  v.object({
    type: v.literal("folder-path"),
    path: described(v.pipe(folderPath, v.minLength(1)), "A document folder."),
  }),
]);
export type SharedThing = v.InferOutput<typeof sharedThing>;

type On = { readonly on: SharedThing };

/** The object of a request about sharing. */
export function resourceOf(on: SharedThing): Resource {
  return on.type === "document" ? { type: "block", id: on.id } : on;
}

/** The access to share the thing that is named. */
export function sharing({ on }: On): Access {
  const kind = on.type === "folder-path" ? "folder" : on.type;
  return [`${kind}.share`, resourceOf(on)];
}

/** The access to see who can see the thing that is named. */
export function seeing({ on }: On): Access {
  const verb =
    on.type === "document" ? "document.read" : on.type === "conversation" ? "conversation.read" : "folder.see";
  return [verb, resourceOf(on)];
}

/** Somebody who can see a thing. */
export const reader = v.object({
  personId: shown("person_01"),
  name: shown("Ada"),
  role: v.picklist(roles),
  given: described(v.nullable(v.picklist(roles)), "The role they were given on the thing itself; null: none."),
  from: described(
    v.picklist(["here", "folder", "conversation", "workspace"]),
    "What gave them their role: the thing itself, or what it lies in.",
  ),
  group: described(v.nullable(shown("Weavers")), "The group through which they have it; null: none."),
  isEveryone: described(v.boolean(), "Whether they have it because everyone in the workspace has."),
});

export const sharedGroup = v.object({
  groupId: shown("group_01"),
  name: shown("Weavers"),
  role: v.picklist(roles),
  members: described(v.number(), "How many people are in it."),
});

export const sharedLink = v.object({
  linkId: shown("link_01"),
  role: v.picklist(linkRoles),
  hasPassword: v.boolean(),
  by: shown("Ada", "Who made it."),
  expiresAt: time,
});
