import { mount } from "./app/mount.tsx";
import { linkInAddress, readSession } from "./browser/session.ts";

// Not awaited here: what it loads imports from the page's first file, which would wait for itself.
void open();

async function open(): Promise<void> {
  const visited = linkInAddress("visit");
  const session = visited === null ? await readSession() : null;
  if (session === null) (await import("./visit/show-visit.tsx")).showVisit(visited ?? "");
  else if (session.token !== null && linkInAddress() === null && linkInAddress("consent") === null) {
    mount({ ...session, token: session.token });
  } else await (await import("./sign-in/enter.tsx")).enter(session, mount);
}
