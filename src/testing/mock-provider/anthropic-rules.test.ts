import { expect, test } from "vitest";
import { anthropicFault } from "./anthropic-rules.ts";

test.each(["object members as roles", "__proto__", "toString"])(
  "a message with the role %s is refused like any unknown role",
  (role) => {
    const content = [{ type: "text", text: "hello" }];
    const messages = [
      { role: "user", content },
      { role, content },
    ];
    expect(anthropicFault({ model: "m", max_tokens: 1, messages })).toMatchObject({
      status: 400,
      body: { error: { message: "messages.1.role: Input should be 'user', 'assistant' or 'system'" } },
    });
  },
);
