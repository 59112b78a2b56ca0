import { connectHeddle } from "../../src/client/connect.ts";
import { mount } from "./app/mount.tsx";
import { readSession } from "./app/session.ts";

mount({
  session: await readSession(),
  connect: ({ token, clientId, name }) => connectHeddle({ url: location.origin, token, clientId, name }),
});
