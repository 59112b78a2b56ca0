/** The part of xstate that the bench uses. */
interface Xstate {
  readonly createMachine: (config: object) => object;
  readonly initialTransition: (machine: object) => readonly [object, readonly unknown[]];
  readonly transition: (machine: object, snapshot: object, event: object) => readonly [object, readonly unknown[]];
}

/** The same turn as a statechart with one action per step, through xstate's pure transition function. */
export async function openXstateTurn(
  peer: <Module>(name: string) => Promise<Module>,
): Promise<(count: number) => number> {
  const { createMachine, initialTransition, transition } = await peer<Xstate>("xstate");
  const machine = createMachine({
    id: "turn",
    initial: "idle",
    states: {
      idle: { on: { "message-sent": { target: "awaiting", actions: ["save", "prepare"] } } },
      awaiting: { on: { "request-prepared": { target: "requesting", actions: ["save", "request"] } } },
      requesting: {
        on: {
          "reply-with-calls": { target: "running", actions: ["save", "run"] },
          reply: { target: "idle", actions: ["save", "release"] },
        },
      },
      running: { on: { "tool-finished": { target: "awaiting", actions: ["save", "prepare"] } } },
    },
  });
  const types = ["message-sent", "request-prepared", "reply-with-calls", "tool-finished", "request-prepared", "reply"];
  return (count) => {
    let [snapshot] = initialTransition(machine);
    let actions = 0;
    for (let turn = 0; turn < count; turn += 1) {
      for (const type of types) {
        const [next, done] = transition(machine, snapshot, { type });
        snapshot = next;
        actions += done.length;
      }
    }
    return actions;
  };
}
