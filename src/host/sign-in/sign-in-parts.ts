import type { IncomingMessage } from "node:http";
import type { Platform } from "../../core/port/platform.ts";
import type { OAuthServer } from "../../core/port/oauth.ts";
import type { Store } from "../../core/port/store.ts";
import type { Ceremonies } from "../../core/port/sign-in.ts";
import type { RightsKeeper } from "../access/rights-keeper.ts";
import type { Visits } from "../visit/visits.ts";
import type { AttemptLimits } from "./attempt-limits.ts";
import type { EntryLinks } from "./links.ts";
import type { Permits } from "./permits.ts";
import type { Programs } from "./programs.ts";
import type { SessionCookie } from "./session-cookie.ts";
import type { SignOnFlows } from "./sign-on-flows.ts";
import type { SignOnSettings } from "./sign-on-settings.ts";
import type { SingleSignOn } from "../../core/port/single-sign-on.ts";
import type { Session, Sessions } from "./sessions.ts";
import type { SignInFacts } from "./sign-in-facts.ts";

/** What the routes of signing in work with. */
export interface SignInParts {
  readonly keeper: RightsKeeper;
  readonly store: Pick<Store, "audit">;
  readonly facts: SignInFacts;
  readonly sessions: Sessions;
  readonly links: EntryLinks;
  readonly ceremonies: Ceremonies;
  readonly limits: AttemptLimits;
  /** Bounds how often those ask who have a share link. */
  readonly guests: AttemptLimits;
  readonly visits: Visits;
  /** What people allow programs to do for them. */
  readonly permits: Permits;
  readonly programs: Programs;
  /** Loads the library of OAuth with the first program that signs in. */
  readonly oauth: () => Promise<OAuthServer>;
  readonly cookie: SessionCookie;
  /** Signing in with an account elsewhere. */
  readonly signOn: {
    readonly settings: SignOnSettings;
    readonly flows: SignOnFlows;
    readonly client: SingleSignOn;
  };
  readonly platform: Platform;
  /** The address of the app as people open it: `https://…`, or `http://localhost:7420`. */
  readonly origin: string;
  /** Returns the session that a request comes with; null for none that is valid. */
  readonly sessionOf: (request: Pick<IncomingMessage, "headers">) => Session | null;
}
