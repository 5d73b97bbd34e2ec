// The hard cases, in the order of their points.

import type { Case } from "../case.ts";
import { bindingCases } from "./binding.ts";
import { refusedCases } from "./refused.ts";
import { returnedCases } from "./returned.ts";

/** All cases. */
export const all: readonly Case[] = [...refusedCases, ...bindingCases, ...returnedCases];
