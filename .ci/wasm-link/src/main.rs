//! Command line for the two libraries that turn the compiler's wasm into files for a browser.
//!
//! `bindgen` takes the options of `wasm-bindgen` that this project uses, `split` those of `wasm-split-cli`.

use std::error::Error;
use std::path::PathBuf;

const USAGE: &str = "\
usage: wasm-link bindgen --target web|nodejs --out-dir DIR [--out-name NAME] [--no-typescript] [--keep-lld-exports]
                         [--keep-debug] [--omit-default-module-path] [--remove-producers-section] FILE.wasm
       wasm-link split --out-name NAME FILE.wasm DIR";

/// Arguments: flags, options with a value, and paths.
#[derive(Default)]
struct Arguments {
    flags: Vec<String>,
    options: Vec<(String, String)>,
    paths: Vec<PathBuf>,
}

impl Arguments {
    const WITH_VALUE: [&str; 3] = ["--target", "--out-dir", "--out-name"];

    fn read(mut words: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut read = Self::default();
        while let Some(word) = words.next() {
            if Self::WITH_VALUE.contains(&word.as_str()) {
                let value = words.next().ok_or_else(|| format!("{word} needs a value\n{USAGE}"))?;
                read.options.push((word, value));
            } else if word.starts_with("--") {
                read.flags.push(word);
            } else {
                read.paths.push(word.into());
            }
        }
        Ok(read)
    }

    /// Removes an option and returns its value.
    fn option(&mut self, name: &str) -> Option<String> {
        let at = self.options.iter().position(|(option, _)| option == name)?;
        Some(self.options.swap_remove(at).1)
    }

    /// Removes a flag and returns whether it was there.
    #[cfg(feature = "bindgen")]
    fn flag(&mut self, name: &str) -> bool {
        let before = self.flags.len();
        self.flags.retain(|flag| flag != name);
        self.flags.len() < before
    }

    /// Returns the paths, once every flag and option has been removed.
    fn paths<const N: usize>(self) -> Result<[PathBuf; N], Box<dyn Error>> {
        let unknown = self.flags.iter().chain(self.options.iter().map(|(option, _)| option)).next();
        if let Some(unknown) = unknown {
            return Err(format!("unknown option {unknown}\n{USAGE}").into());
        }
        self.paths.try_into().map_err(|_| USAGE.into())
    }
}

#[cfg(feature = "bindgen")]
fn bindgen(mut arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    match arguments.option("--target").as_deref() {
        Some("web") => bindgen.web(true)?,
        Some("nodejs") => bindgen.nodejs(true)?,
        _ => return Err(USAGE.into()),
    };
    let folder = arguments.option("--out-dir").ok_or(USAGE)?;
    if let Some(name) = arguments.option("--out-name") {
        bindgen.out_name(&name);
    }
    bindgen
        .typescript(!arguments.flag("--no-typescript"))
        .keep_lld_exports(arguments.flag("--keep-lld-exports"))
        .keep_debug(arguments.flag("--keep-debug"))
        .omit_default_module_path(arguments.flag("--omit-default-module-path"))
        .remove_producers_section(arguments.flag("--remove-producers-section"));
    let [input] = arguments.paths()?;
    Ok(bindgen.input_path(input).generate(folder)?)
}

#[cfg(feature = "split")]
fn split(mut arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let name = arguments.option("--out-name").ok_or(USAGE)?;
    let [input, folder] = arguments.paths()?;
    let module = std::fs::read(&input).map_err(|error| format!("{}: {error}", input.display()))?;
    let (main, glue) = (folder.join(format!("{name}.wasm")), format!("./{name}.js"));
    let mut options = wasm_split_cli_support::Options::new(&module);
    options.output_dir = &folder;
    options.main_out_path = &main;
    options.main_module = &glue;
    wasm_split_cli_support::transform(options)?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let command = words.next();
    let arguments = Arguments::read(words)?;
    match command.as_deref() {
        #[cfg(feature = "bindgen")]
        Some("bindgen") => bindgen(arguments),
        #[cfg(feature = "split")]
        Some("split") => split(arguments),
        _ => Err(USAGE.into()),
    }
}
