//! Deferred code, which the first rows do not need: the value chips, usage and groups, the object's panel with YAML and
//! events, the overview, the problems, the map, the timeline, the details of the status line, the list of namespaces,
//! the palette, the help, and the parser and completion of a filter that is being typed.
//!
//! It is a second wasm file, which shares memory and functions with the first one. The rest of the page reaches it
//! through [`Deferred`] alone, which `loading.rs` provides once the file has loaded: any other call from the first file
//! would move the code back into it (`informer/tests/it/architecture.rs` rejects it). Natively there is one program.

use informer::ResourceInfo;
use informer_engine::columns::ColumnHeader;
use informer_engine::{Draft, Facet};
use leptos::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use crate::chips::{Chips, ChipsProps};
use crate::cluster::Cluster;
use crate::column_panel::{ColumnPanel, ColumnPanelProps};
use crate::counting;
use crate::counts::Counts;
use crate::create::{Create, CreateProps};
use crate::definitions;
use crate::details::{Details, DetailsProps};
use crate::discovery::Discovery;
use crate::drawer::{Drawer, DrawerProps};
use crate::empty_kinds::EmptyKinds;
use crate::export::{Export, ExportProps};
use crate::favourites::Favourites;
use crate::filter::completion::{self, Completion, Offer, ValueRequest};
use crate::flash::Flash;
use crate::groups::{Groups, GroupsProps};
use crate::help;
use crate::inspector::{Inspector, InspectorProps};
use crate::kind_tools;
use crate::kinds::{Group, Kind};
use crate::loading::{self, ColumnTools, Deferred, LoadError, PageState};
use crate::map::{Map, MapProps};
use crate::marks::{Marks, MarksProps};
use crate::namespace_list::{NamespaceList, NamespaceListProps};
use crate::overview::{Overview, OverviewProps};
use crate::palette::{self, Palette, PaletteProps};
use crate::problems::{Problems, ProblemsProps};
use crate::protection::{Protected, ProtectedProps};
use crate::saved;
use crate::screen_keys;
use crate::source::Source;
use crate::timeline::{self, Changes, ChangesProps};
use crate::usage;

struct Code;

impl Deferred for Code {
    fn drawer(&self, page: PageState, key: String) -> AnyView {
        Drawer(DrawerProps { page, key }).into_any()
    }

    fn overview(&self, page: PageState) -> AnyView {
        Overview(OverviewProps { page }).into_any()
    }

    fn problems(&self, page: PageState, count: RwSignal<Option<String>>) -> AnyView {
        Problems(ProblemsProps { page, count }).into_any()
    }

    fn map(&self, page: PageState) -> AnyView {
        Map(MapProps { page }).into_any()
    }

    fn inspector(&self, page: PageState) -> AnyView {
        Inspector(InspectorProps { page }).into_any()
    }

    fn beside_rows(&self, tools: ColumnTools) -> AnyView {
        let ColumnTools { cluster, model, navigator, source, .. } = tools;
        (Groups(GroupsProps { tools }), Marks(MarksProps { cluster, model, navigator, source })).into_any()
    }

    fn follow_kinds(&self, page: PageState, counts: Counts, discovery: Discovery) {
        counting::watch(page, counts);
        definitions::watch(page, discovery);
    }

    fn beside_kind(&self, kind: &Kind, favourites: Favourites, counts: Counts) -> AnyView {
        kind_tools::beside(kind, favourites, counts)
    }

    fn toggle_favourite(&self, info: &ResourceInfo, favourites: Favourites) {
        kind_tools::toggle(favourites, info);
    }

    fn empty_kinds(&self, groups: Memo<Vec<Group>>, empty: EmptyKinds) -> AnyView {
        kind_tools::empty_button(groups, empty)
    }

    fn columns(&self, tools: ColumnTools) -> AnyView {
        usage::paint(tools);
        let flash = Flash::watch(tools);
        (Export(ExportProps { tools }), ColumnPanel(ColumnPanelProps { tools, flash })).into_any()
    }

    fn chips(&self, tools: ColumnTools, synced: Memo<bool>, width: RwSignal<u32>, tight: Memo<bool>) -> AnyView {
        Chips(ChipsProps { tools, synced, width, tight }).into_any()
    }

    fn changes(&self, page: PageState) -> AnyView {
        Changes(ChangesProps { page }).into_any()
    }

    fn tools(&self, page: PageState, palette: RwSignal<bool>) -> AnyView {
        let PageState { cluster, navigator, source, .. } = page;
        screen_keys::listen(navigator);
        (
            timeline::button(page),
            Protected(ProtectedProps { source }),
            palette::button(palette),
            Create(CreateProps { cluster, navigator, source }),
        )
            .into_any()
    }

    fn namespaces(&self, page: PageState, typed: RwSignal<Option<String>>) -> AnyView {
        NamespaceList(NamespaceListProps { page, typed }).into_any()
    }

    fn palette(&self, page: PageState, open: RwSignal<bool>) -> AnyView {
        (Palette(PaletteProps { page, open }), saved::dialog(), timeline::bar(page)).into_any()
    }

    fn details(&self, cluster: Cluster, source: Source, now: RwSignal<f64>) -> AnyView {
        Details(DetailsProps { cluster, source, now }).into_any()
    }

    fn help(&self) -> AnyView {
        help::sections().into_any()
    }

    fn draft(&self, filter: &str, incomplete: Option<usize>) -> Draft {
        incomplete.map_or_else(|| Draft::new(filter), |at| Draft::half_typed(filter, at))
    }

    fn offer(&self, text: &str, caret: usize, columns: &[ColumnHeader]) -> Offer {
        completion::offer(text, caret, columns)
    }

    fn is_half(&self, request: &ValueRequest, facet: &Facet) -> bool {
        completion::is_half(request, facet)
    }

    fn values(&self, request: &ValueRequest, facet: &Facet) -> Vec<Completion> {
        completion::values(request, facet)
    }
}

/// Sets the loader of the code.
pub(crate) fn install() {
    loading::install(|| Box::pin(async { code().await.map_err(|_: SplitLoaderError| LoadError) }));
}

/// Only entry: code that only this function reaches is in the second file.
#[allow(unsafe_code, reason = "the macro declares an import and an export, which the wasm splitter joins")]
#[allow(clippy::unnecessary_wraps, reason = "a failure to load it comes in by the macro")]
#[wasm_split(deferred, fallible)]
fn code() -> Result<&'static dyn Deferred, SplitLoaderError> {
    Ok(&Code)
}
