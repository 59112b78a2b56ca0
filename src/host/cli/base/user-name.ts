import { userInfo } from "node:os";

/** Returns the name of a person who has given none: their user name on this machine. */
export function userName(): string {
  try {
    const { username } = userInfo();
    return username === "" ? "Owner" : username;
  } catch {
    return "Owner";
  }
}
