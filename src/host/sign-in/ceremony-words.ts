import { refusal, type Refusal } from "../../core/base/errors.ts";
import { isJsonObject } from "../../core/base/json.ts";
import type { CeremonyAnswer } from "../../core/port/sign-in.ts";

/** What people are told for the codes of the library. */
const words: Readonly<Record<string, string>> = {
  INVALID_EMAIL_OR_PASSWORD: "The email address or the password is wrong. Nothing was opened; try again.",
  INVALID_EMAIL: "This is no email address. Correct it and try again.",
  INVALID_PASSWORD: "The password is wrong. Nothing was changed; try again.",
  INVALID_CODE: "This code is wrong, too old, or was used before. Wait for the next one and try again.",
  INVALID_BACKUP_CODE: "This recovery code is wrong or was used before. Try another one.",
  INVALID_TWO_FACTOR_COOKIE: "Too much time has passed since the password. Sign in again from the beginning.",
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: "Too many wrong codes. Sign in again from the beginning.",
  PASSWORD_TOO_SHORT: "A password has at least 10 characters. Nothing was changed; choose a longer one.",
  PASSWORD_TOO_LONG: "A password has at most 128 characters. Nothing was changed; choose a shorter one.",
  PASSKEY_NOT_FOUND: "This passkey does not belong to an account here. Sign in another way.",
  AUTHENTICATION_FAILED: "The passkey was not accepted. Try again, or sign in another way.",
  CHALLENGE_NOT_FOUND: "Too much time has passed since the passkey was asked for. Try again.",
  SESSION_NOT_FRESH:
    "This needs a sign-in of the last ten minutes, so nothing was changed. Sign in again, then repeat it.",
  TOTP_NOT_ENABLED: "There is no second factor to confirm. Set it up from the beginning.",
  ACCOUNT_TEMPORARILY_LOCKED: "Too many wrong codes. Nothing was opened; wait 15 minutes and try again.",
  FAILED_TO_VERIFY_REGISTRATION: "The passkey was not accepted. Nothing was changed; try again.",
  PREVIOUSLY_REGISTERED: "This passkey is registered already.",
  TOTP_ALREADY_ENABLED: "There is a second factor already. Remove it before you set up another.",
};

/** What a ceremony refused, in words; null: somebody who proved who they are and has no account any longer. */
export function ceremonyRefusal(answer: Pick<CeremonyAnswer, "status" | "body"> | null): Refusal {
  if (answer === null) return refusal("UNAUTHENTICATED", {}, words["INVALID_EMAIL_OR_PASSWORD"]);
  const code = isJsonObject(answer.body) ? answer.body["code"] : undefined;
  const name = typeof code === "string" ? code : "";
  const message = words[name];
  if (answer.status === 429 || name === "TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE")
    return refusal("RATE_LIMITED", {}, message);
  if (name === "SESSION_NOT_FRESH" || (answer.status === 401 && message === undefined)) {
    return refusal("REAUTHENTICATE");
  }
  if (answer.status === 401) return refusal("UNAUTHENTICATED", {}, message);
  if (answer.status >= 500) return refusal("STORE_FAILED", { reason: "sign-in" });
  return refusal("INVALID_PARAMS", {}, message ?? "This step of signing in was not accepted. Begin again.");
}

export function tooManyTries(seconds: number): Refusal {
  const [count, unit] = seconds < 60 ? [seconds, "second"] : [Math.ceil(seconds / 60), "minute"];
  const time = `${count} ${unit}${count === 1 ? "" : "s"}`;
  return refusal("RATE_LIMITED", { seconds }, `Too many tries. Nothing was opened; wait ${time} and try again.`);
}
