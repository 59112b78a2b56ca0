import { InProcessHints } from "./in-process-hints.ts";
import { describeHintBus } from "./hint-suite.ts";

describeHintBus(
  "one process",
  async () => {
    const clusters = { ours: new InProcessHints(), theirs: new InProcessHints() };
    return { bus: (cluster) => clusters[cluster].bus(), close: async () => {} };
  },
  { hasServer: false },
);
