import { ask, type Answered } from "../browser/account/sign-in-api.ts";

/** What a link shows. */
export interface Visit {
  readonly content: VisitContent;
  readonly role: "viewer" | "commenter";
  /** UTC milliseconds. */
  readonly expiresAt: number;
  /** Names what is shown. */
  readonly have: string;
  /** Takes the place of the proof from now on; null: the link has no password. */
  readonly pass: string | null;
}

export type VisitContent =
  | {
      readonly type: "document";
      readonly title: string;
      readonly text: string;
      readonly comments: readonly (Said & { readonly replies: readonly Said[] })[];
    }
  | {
      readonly type: "conversation";
      readonly title: string;
      readonly messages: readonly { readonly by: "person" | "agent"; readonly text: string }[];
    }
  | {
      readonly type: "folder";
      readonly title: string;
      readonly documents: readonly { readonly id: string; readonly title: string }[];
    };

export interface Said {
  readonly by: string;
  readonly text: string;
}

/** Where a visitor is: at what the link is to, or at a document of its folder. */
export interface Place extends Opener {
  readonly documentId?: string;
}

/** What opens a link: its secret, and where it has a password the proof of that or what the server gave for it. */
export interface Opener {
  readonly secret: string;
  readonly proof?: string;
  readonly pass?: string;
}

/** Asks what the link shows; with `have`, the answer comes when it shows something else. */
export function readVisit(place: Place, have?: string): Promise<Answered<Visit>> {
  return ask("/visit", { ...place, ...(have === undefined ? {} : { have }) });
}

export function sendComment(place: Place, name: string, text: string): Promise<Answered<unknown>> {
  return ask("/visit/comment", { ...place, name, text });
}

/** Fetches a picture of the document that is shown; null when it is not available. */
export async function readPicture(place: Place, id: string): Promise<Blob | null> {
  const answer = await ask<{ readonly data: string }>("/visit/picture", { ...place, id });
  return answer.ok ? new Blob([Uint8Array.from(atob(answer.value.data), (unit) => unit.charCodeAt(0))]) : null;
}
