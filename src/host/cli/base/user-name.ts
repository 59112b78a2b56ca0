import { userInfo } from "node:os";

/** What the person is called who has given no name: as they are on this machine. */
export function userName(): string {
  try {
    const { username } = userInfo();
    return username === "" ? "Owner" : username;
  } catch {
    return "Owner";
  }
}
