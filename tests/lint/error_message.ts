/**
 * The lint rule for error messages.
 *
 * @module
 */

import { isPublished } from "./layers.ts";

/** The position of the message among the arguments of each class. */
const places: Readonly<Record<string, number>> = {
  FrameworkError: 1,
  HTTPError: 1,
  Error: 0,
  TypeError: 0,
  RangeError: 0,
};

const contraction = /\b(?:\w+n['’]t|\w+['’](?:ll|ve|re|d|m)|(?:it|that|there|here|what|who|let)['’]s)\b/i;

/** The fixed parts of a message. There is a value between any two of them. */
type Pieces = readonly string[];

/**
 * Disallows messages that do not begin with a capital letter, end with a period, contain a contraction or have
 * misplaced quotes.
 */
export const errorMessage: Deno.lint.Rule = {
  create(ctx) {
    if (!isPublished(ctx.filename)) return {};
    return {
      NewExpression(node) {
        const message = node.arguments[places[nameOf(node.callee)] ?? -1];
        const pieces = message === undefined ? undefined : piecesOf(message);
        if (message === undefined || pieces === undefined) return;
        for (const fault of faultsOf(pieces)) ctx.report({ node: message, message: `The error message ${fault}` });
      },
    };
  },
};

function nameOf(callee: Deno.lint.Expression): string {
  const last = callee.type === "MemberExpression" ? callee.property : callee;
  return last.type === "Identifier" && Object.hasOwn(places, last.name) ? last.name : "";
}

function piecesOf(node: Deno.lint.Node): Pieces | undefined {
  if (node.type === "Literal") return typeof node.value === "string" ? [node.value] : undefined;
  if (node.type === "TemplateLiteral") return node.quasis.map((quasi) => quasi.cooked);
  if (node.type !== "BinaryExpression" || node.operator !== "+") return undefined;
  const left = piecesOf(node.left) ?? ["", ""];
  const right = piecesOf(node.right) ?? ["", ""];
  return [...left.slice(0, -1), (left.at(-1) ?? "") + (right[0] ?? ""), ...right.slice(1)];
}

function* faultsOf(pieces: Pieces): Iterable<string> {
  if (pieces.length === 1 && pieces[0] === "") return;
  if (!/^\p{Lu}/u.test(pieces[0] ?? "")) yield "does not begin with a capital letter";
  if (/\.\s*$/.test(pieces.at(-1) ?? "")) yield "ends with a period";
  if (pieces.some((piece) => contraction.test(piece))) yield "has a contraction";
  if (pieces.slice(0, -1).some((piece) => /['‘`]$/.test(piece))) yield "has a value in other than double quotes";
  if (pieces.join("").split('"').length % 2 === 0) yield "has a double quote without its partner";
}
