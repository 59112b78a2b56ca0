import { mount } from "./app/mount.tsx";
import { readSession } from "./browser/session.ts";

mount(await readSession());
