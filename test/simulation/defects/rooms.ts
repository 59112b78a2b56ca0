import type { Defect } from "../defect.ts";

export const defects: readonly Defect[] = [
  {
    name: "a change of a lease is not told",
    file: "src/host/server/live/rooms.ts",
    search: "workspace.leases.onChange((status) => this.#sendToBlock(status.canvasId, this.#leaseMessage(status))),",
    replacement:
      "workspace.leases.onChange((status) => {\n        if (status.held !== null) this.#sendToBlock(status.canvasId, this.#leaseMessage(status));\n      }),",
  },
  {
    name: "whoever comes is not told where the others are",
    file: "src/host/server/live/rooms.ts",
    search:
      "      if (other !== guest && selection !== null) guest.send(presenceMessage(other, blockId, selection));\n",
    replacement: "",
  },
  {
    name: "a move in a document is not told",
    file: "src/host/server/live/rooms.ts",
    search: "    for (const other of guests.keys()) if (other !== guest) other.send(message);\n",
    replacement:
      "    if (selection === null) for (const other of guests.keys()) if (other !== guest) other.send(message);\n",
  },
  {
    name: "who comes in is not told",
    file: "src/host/server/live/rooms.ts",
    search: "    const entered = moved.filter((guest) => this.#guests.has(guest));\n",
    replacement: "    const entered = moved.filter((guest) => !this.#guests.has(guest));\n",
  },
  {
    name: "who has gone stays in the room",
    file: "src/host/server/live/rooms.ts",
    search: "    const left = moved.filter((guest) => !this.#guests.has(guest));\n",
    replacement: "    const left: Guest[] = [];\n",
  },
];
