import type { Defect } from "../defect.ts";

export const defects: readonly Defect[] = [
  {
    name: "a request whose answer was lost is carried out again",
    file: "src/host/base/once.ts",
    search: "    if (before !== null) {\n",
    replacement: "    if (before !== null && before.at === -1) {\n",
  },
  {
    name: "the record of a request is not in its transaction",
    file: "src/host/base/once.ts",
    search: "      const at = this.#platform.clock.now();\n      return [{",
    replacement: "      const at = this.#platform.clock.now();\n      if (at > 0) return [];\n      return [{",
  },
  {
    name: "commands on their way are not sent again",
    file: "src/client/connection/outbox.ts",
    search: '      for (const { message, stage } of waitingById.values()) if (stage === "sent") send(message);\n',
    replacement: "",
  },
];
