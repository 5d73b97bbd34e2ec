/**
 * The features that the core loads by itself, because people expect their methods on `ctx` and the application. One row
 * each, loaded on first use.
 *
 * Nothing else in the core, or in the rooms below it, names a feature. All others attach themselves with
 * `party.Install`. `tests/core/feature_list_test.ts` checks this.
 *
 * @module
 */

import { LazyModule, loadModule } from "../base/async/lazy_module.ts";

/** The writer behind `ctx.Markdown`. */
export const markdown: LazyModule<typeof import("../pages/formats/markdown.ts")> = new LazyModule(() =>
  import("../pages/formats/markdown.ts")
);

/** The writer behind `ctx.XML`. */
export const xmlWriter: LazyModule<typeof import("../pages/formats/xml_writer.ts")> = new LazyModule(() =>
  import("../pages/formats/xml_writer.ts")
);

/** The reader behind `ctx.ReadXML`. */
export const xmlReader: LazyModule<typeof import("../pages/formats/xml_reader.ts")> = new LazyModule(() =>
  import("../pages/formats/xml_reader.ts")
);

/** The format behind `ctx.YAML` and `ctx.ReadYAML`. */
export const yaml: LazyModule<typeof import("../pages/formats/yaml_format.ts")> = new LazyModule(() =>
  import("../pages/formats/yaml_format.ts")
);

/** The format behind `ctx.MsgPack` and `ctx.ReadMsgPack`. */
export const msgpack: LazyModule<typeof import("../pages/formats/msgpack_format.ts")> = new LazyModule(() =>
  import("../pages/formats/msgpack_format.ts")
);

/** Loads the translations behind `app.I18n` and `ctx.Tr`. */
export function loadTranslations(): Promise<typeof import("../pages/i18n/catalog.ts")> {
  return loadModule(() => import("../pages/i18n/catalog.ts"));
}

/** Loads the reader of translation files, which `app.I18n` uses in development to find changed ones. */
export function loadTranslationFiles(): Promise<typeof import("../pages/i18n/read_messages.ts")> {
  return loadModule(() => import("../pages/i18n/read_messages.ts"));
}
