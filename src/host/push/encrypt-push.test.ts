import { createECDH } from "node:crypto";
import { expect, test } from "vitest";
import { encryptPush } from "./encrypt-push.ts";

const bytes = (text: string): Buffer => Buffer.from(text, "base64url");

test("17.18 a push is encrypted as in the example of RFC 8291", () => {
  const body = encryptPush(
    Buffer.from("When I grow up, I want to be a watermelon"),
    {
      p256dh: bytes("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
      auth: bytes("BTBZMqHH6r4Tts7J_aSIgg"),
    },
    { privateKey: bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"), salt: bytes("DGv6ra1nlYgDCS1FRnbzlw") },
  );
  expect(body.toString("base64url")).toBe(
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
  );
});

test("17.18 what is no point of the curve is refused", () => {
  const sender = createECDH("prime256v1");
  sender.generateKeys();
  const keys = { p256dh: Buffer.alloc(65, 4), auth: Buffer.alloc(16) };
  expect(() =>
    encryptPush(Buffer.from("x"), keys, { privateKey: sender.getPrivateKey(), salt: Buffer.alloc(16) }),
  ).toThrow();
});
