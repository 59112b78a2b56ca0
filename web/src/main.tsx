import { mount } from "./app/mount.tsx";
import { readSession } from "./app/session.ts";

mount(await readSession());
