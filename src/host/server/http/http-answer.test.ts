import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { sendRefusal } from "./http-answer.ts";

function challengeIn(refused: Refusal, before?: string): unknown {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  if (before !== undefined) response.setHeader("www-authenticate", before);
  sendRefusal(response, refused);
  return response.getHeader("www-authenticate");
}

test("who comes without a valid token, and nobody else, is told to come with one, and where it is had", () => {
  expect(challengeIn(refusal("UNAUTHENTICATED"))).toBe('Bearer realm="heddle"');
  const where = 'Bearer realm="heddle", resource_metadata="https://heddle.example/metadata"';
  expect(challengeIn(refusal("UNAUTHENTICATED"), where)).toBe(where);
  expect(challengeIn(refusal("FORBIDDEN"))).toBeUndefined();
});
