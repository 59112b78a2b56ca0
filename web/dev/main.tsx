import { mount } from "../src/app/mount.tsx";
import { FakeClient } from "./fake-client.ts";

const client = new FakeClient();
Object.assign(window, { fake: client });
mount({ connect: () => client, session: { token: "dev", clientId: "dev-client-0000000", name: "Amy" } });
