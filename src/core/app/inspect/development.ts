/**
 * The warnings and pages that developers see with `fw.WithDevelopment`.
 *
 * @module
 */

import { loadModule } from "../../../base/async/lazy_module.ts";
import { messageOf } from "../../../base/errors/to_error.ts";
import { maskSecrets } from "../../../base/log/secrets.ts";
import { nearNames } from "../../../base/text/near_names.ts";
import { rawPath } from "../../../http/headers/request_url.ts";
import { termsOf } from "../../../http/response/draft.ts";
import type { Locale } from "../../../pages/i18n/locale.ts";
import type { Logger } from "../../../base/log/logger.ts";
import type { Installed } from "../../context/extension.ts";
import type { RouterWrapper } from "../../context/router_wrapper.ts";
import type {
  AppRuntime,
  DevelopmentAids,
  EmptyEnding,
  FailedExchange,
  MissingTranslation,
  RequestRecorder,
} from "../../exchange/app_runtime.ts";
import type { RouteInfo } from "../../exchange/compiled_route.ts";
import type { Languages } from "../../exchange/languages.ts";
import type { Registry } from "../record/registry.ts";
import type { Explanation } from "./explanation.ts";

/** The maximum number of different warnings, which limits memory use if warnings contain input. */
const mostWarnings = 1000;

/** The methods of an application that the development pages need. */
export interface Developed {
  readonly I18n: { Loaded(): boolean; reloadChanged(): Promise<unknown> };
  Extensions(): readonly Installed[];
  Explain(method: string, path: string): Promise<Explanation>;
  fetch(request: Request): Response | Promise<Response>;
}

/** The module of the pages at `/_fw`. */
interface Dashboard {
  attachDashboard(app: Developed, registry: Registry, runtime: AppRuntime): Promise<RequestRecorder>;
}

/**
 * The address of that module. It is not a literal in the import, so that only programs in development read the file. A
 * compiled program does not contain it.
 */
const dashboard = new URL("../dashboard/attach.ts", import.meta.url).href;

/** Adds the warnings and pages for developers to an application. */
export async function develop(app: Developed, registry: Registry, runtime: AppRuntime): Promise<void> {
  const aids = new Development(registry);
  runtime.development = aids;
  if (app.I18n.Loaded()) registry.reloaders.push(reloader(app.I18n, registry.logger));
  try {
    const { attachDashboard }: Dashboard = await loadModule(() => import(dashboard));
    aids.recorder = await attachDashboard(app, registry, runtime);
  } catch (error) {
    registry.logger.Warn("Cannot open the development pages at /_fw:", messageOf(error));
  }
}

/** Returns the wrapper that reads changed translation files again. */
function reloader(i18n: Developed["I18n"], logger: Logger): RouterWrapper {
  return async (request, next) => {
    const error = await i18n.reloadChanged();
    if (error !== undefined) logger.Error("Cannot reload the translations, so the current ones are kept:", error);
    return await next(request);
  };
}

/** The warnings and pages for developers. Each warning is logged once. */
export class Development implements DevelopmentAids {
  readonly #registry: Registry;
  readonly #warned = new Set<string>();
  recorder: RequestRecorder | undefined = undefined;

  /**
   * Creates the aids of an application.
   *
   * @param registry Has the application's logger.
   */
  constructor(registry: Registry) {
    this.#registry = registry;
  }

  problemMembers(error: Error): { readonly detail: string; readonly stack: readonly string[] } {
    const frames = (error.stack ?? "").split("\n").map((line) => line.trim()).filter((line) => line.startsWith("at "));
    return { detail: maskSecrets(`${error.name}: ${error.message}`), stack: frames };
  }

  warnOfParam(route: RouteInfo, name: string): void {
    const { Params: names } = route;
    const known = names.length === 0 ? "it has none" : `its parameters are: ${names.join(", ")}`;
    const [near] = nearNames(name, names);
    const hint = near === undefined ? "" : `; did you mean "${near}"?`;
    this.#warn(`Route "${titleOf(route)}" has no parameter "${name}"; ${known}${hint}`);
  }

  warnOfForm(route: RouteInfo, type: string): void {
    const kind = type.split(";", 1)[0]?.trim() ?? "";
    this.#warn(
      `Route "${titleOf(route)}" reads form fields, but the request body is "${kind}", so all fields are empty; ` +
        "read it with ctx.ReadJSON or ctx.ReadBody",
    );
  }

  warnOfSecret(route: RouteInfo, name: string): void {
    this.#warn(
      `Route "${
        titleOf(route)
      }" does not show the form field "${name}" again, because it looks like a secret; list it ` +
        "in the option Secrets of FormResult if it is one, or in Kept if it is not",
    );
  }

  warnOfEmpty({ route, chain, at }: EmptyEnding): void {
    const last = chain.length - 1;
    const isLast = at >= last;
    // A controller method may return nothing.
    if (isLast && route.Controller !== undefined) return;
    const name = chain[Math.min(at, last)]?.name ?? "";
    const handler = name === "" ? `handler ${Math.min(at, last) + 1} of ${chain.length}` : `handler "${name}"`;
    const why = isLast
      ? `${handler} wrote nothing; if that is intended, set a status with ctx.StatusCode`
      : `${handler} neither wrote a response nor called ctx.Next()`;
    this.#warn(`Route "${titleOf(route)}" sent an empty response with status 200: ${why}`);
  }

  warnOfReplaced({ draft, place, method }: FailedExchange, logger: { Warn(text: string): void }): void {
    termsOf(draft).onReplace = undefined;
    logger.Warn(
      `The response to ${method} ${rawPath(place)} was written twice: the last document replaces the body before it, ` +
        "a return may be missing",
    );
  }

  warnOfTranslation({ key, languages, locale, template, route }: MissingTranslation): void {
    const keys = [...new Set(languages.catalog.locales.flatMap((each) => each.Keys()))];
    const served = route === undefined ? "no route" : `route "${titleOf(route)}"`;
    const place = template === undefined ? served : `template "${template}"`;
    const inside = keys.filter((each) => each.startsWith(`${key}.`)).map((each) => each.slice(key.length + 1));
    const [near] = nearNames(key, keys);
    const unknown = inside.length > 0
      ? `it is a section with the keys: ${inside.slice(0, 8).join(", ")}`
      : `there is no such key${near === undefined ? "" : `; did you mean "${near}"?`}`;
    const reason = reasonOf(languages, locale, key) ?? unknown;
    this.#warn(`Cannot translate "${key}" into "${locale.Language()}" (${place}): ${reason}`);
  }

  #warn(warning: string): void {
    if (this.#warned.has(warning) || this.#warned.size === mostWarnings) return;
    this.#warned.add(warning);
    this.#registry.logger.Warn(warning);
  }
}

/** Returns the reason why a key that exists in some language cannot be translated. */
function reasonOf({ catalog, settings }: Languages, locale: Locale, key: string): string | undefined {
  if (locale.has(key)) return "no plural form matches; pass the count as the first argument";
  if (!catalog.has(key)) return undefined;
  const [fallback] = catalog.locales;
  const isReplaced = !settings.Strict && fallback?.has(key) === true;
  return `the key is missing in this language${isReplaced ? `, so that of "${fallback.Language()}" is used` : ""}`;
}

function titleOf({ Method, Subdomain, Path }: RouteInfo): string {
  return `${Method} ${Subdomain}${Path}`;
}
