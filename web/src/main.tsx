import { mount } from "./app/mount.tsx";
import { linkInAddress, readSession } from "./browser/session.ts";

const session = await readSession();
const { token } = session;
if (token !== null && linkInAddress() === null) mount({ ...session, token });
else await (await import("./sign-in/enter.tsx")).enter(session, mount);
