// All cases, ordered by the number of their requirement.

import type { Case } from "../case.ts";
import { bindingCases } from "./binding.ts";
import { bodyCases } from "./bodies.ts";
import { guardCases } from "./guards.ts";
import { inputCases } from "./inputs.ts";
import { lifetimeCases } from "./lifetimes.ts";
import { probingCases } from "./probing.ts";
import { refusedCases } from "./refused.ts";
import { returnedCases } from "./returned.ts";
import { waitingCases } from "./waiting.ts";

/** All cases. */
export const all: readonly Case[] = [
  ...guardCases,
  ...bodyCases,
  ...waitingCases,
  ...refusedCases,
  ...bindingCases,
  ...probingCases,
  ...returnedCases,
  ...lifetimeCases,
  ...inputCases,
];
