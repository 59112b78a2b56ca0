import { mount } from "./app/mount.tsx";
import { linkInAddress, readSession } from "./browser/session.ts";

const session = await readSession();
if (session.token !== null && linkInAddress() === null) mount(session);
else await (await import("./sign-in/enter.tsx")).enter(session, mount);
