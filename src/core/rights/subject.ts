import type { Brand } from "../base/brand.ts";
import type { GroupId, LinkId, PersonId } from "../base/ids.ts";

/** Who is given a role: one person, a group, everyone with an account, or whoever has a link. */
export type Subject =
  | { readonly type: "person"; readonly id: PersonId }
  | { readonly type: "group"; readonly id: GroupId }
  | { readonly type: "everyone" }
  | { readonly type: "link"; readonly id: LinkId };

/** A subject as one word, such as `person:p1` or `everyone`. */
export type SubjectKey = Brand<string, "SubjectKey">;

export function subjectKey(subject: Subject): SubjectKey {
  return (subject.type === "everyone" ? "everyone" : `${subject.type}:${subject.id}`) as SubjectKey;
}
