//! The protocol's side: what a client may ask for, cancellation, progress, time limits, and the roots that it names.
//!
//! A call runs on a thread of its own, because the engine blocks; the protocol goes on meanwhile. Whatever becomes
//! of a call, the server lives: a wrong request is an error of the protocol that names what is wrong, a reason not to
//! answer is an answer marked as an error, and a panic is an internal error of that one call.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    Implementation, ListPromptsResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, Prompt, PromptArgument, PromptMessage, Role, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::{NotificationContext, Peer, RequestContext};
use rmcp::{RoleServer, ServerHandler};

use crate::answers::Answer;
use crate::engine::Engine;
use crate::roots::{Named, path_of};
use crate::tools::{self, Desk, Failure, Request};

/// How long a call may take.
const TIME_LIMIT: Duration = Duration::from_mins(1);
/// Least time between two notes of progress of a call.
const BETWEEN_NOTES: Duration = Duration::from_secs(1);
/// How long a client may take to name its roots.
const ROOTS_LIMIT: Duration = Duration::from_secs(5);

/// What the client reads before it calls anything.
const INSTRUCTIONS: &str = "\
reseek finds what a task needs in this code base. Start with retrieve_context and the task in plain words, read what it \
gives, go on with continue_from if something is missing, and read pieces with read_symbols. search_code and find_symbol are for \
words and names that you know. Every answer says how fresh its index is and what is not in it. Use grep for exact strings, \
regular expressions and files that are not indexed.";

const GUIDE: &str = "\
Work on this task by retrieving first and reading then:

1. Call retrieve_context with the task in plain words. Add every name, message and symptom that you know, and a budget that \
you can afford.
2. Read the source that it gives. The files are in order of relevance; `missing` names what is still needed.
3. If something is missing, call retrieve_context again with continue_from, and say which files were useful and which were not; \
or find a name with find_symbol, and read it with read_symbols.
4. Use grep for exact strings and regular expressions, and to list every use of a name.
5. If an answer says that the index is behind or being built, or that files are not indexed, do not take silence for absence.
";

/// One client's server.
#[derive(Clone)]
pub(crate) struct Server {
    desk: Arc<Desk>,
    fixed: Arc<Vec<PathBuf>>,
    /// The roots of the client, once it was asked; asked again after it says that they changed.
    client_roots: Arc<Mutex<Option<Named>>>,
    version: &'static str,
}

impl Server {
    pub(crate) fn new(desk: Arc<Desk>, fixed: Arc<Vec<PathBuf>>, version: &'static str) -> Self {
        Self { desk, fixed, client_roots: Arc::default(), version }
    }

    /// The roots of a call.
    async fn named(&self, context: &RequestContext<RoleServer>) -> Named {
        if !self.fixed.is_empty() {
            return Named::Fixed(self.fixed.to_vec());
        }
        let known = self.client_roots.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(named) = known {
            return named;
        }
        let can_tell = context.client_capabilities().is_some_and(|able| able.roots.is_some());
        if !can_tell {
            return Named::Nobody;
        }
        let Some(named) = ask_for_roots(&context.peer).await else { return Named::Nobody };
        *self.client_roots.lock().unwrap_or_else(PoisonError::into_inner) = Some(named.clone());
        named
    }

    async fn call(
        &self,
        request: Request,
        context: &RequestContext<RoleServer>,
    ) -> Result<Result<Answer, Failure>, ErrorData> {
        let is_cancelled = Arc::new(AtomicBool::new(false));
        let watched: Arc<Mutex<Option<Arc<Engine>>>> = Arc::default();
        let mut job = {
            let (desk, is_cancelled, watched) =
                (Arc::clone(&self.desk), Arc::clone(&is_cancelled), Arc::clone(&watched));
            let deadline = Instant::now() + TIME_LIMIT;
            tokio::task::spawn_blocking(move || {
                let stop = || is_cancelled.load(Ordering::Relaxed) || Instant::now() > deadline;
                tools::run(&desk, request, &stop, &|engine| {
                    *watched.lock().unwrap_or_else(PoisonError::into_inner) =
                        Some(Arc::clone(engine));
                })
            })
        };
        let mut told = 0.0;
        let mut ticks = tokio::time::interval(BETWEEN_NOTES);
        // The first tick comes at once, and there is nothing to tell yet.
        ticks.tick().await;
        loop {
            tokio::select! {
                done = &mut job => {
                    return done.map_err(|_| {
                        ErrorData::internal_error("the call failed unexpectedly; others are not affected", None)
                    });
                }
                () = context.ct.cancelled() => {
                    is_cancelled.store(true, Ordering::Relaxed);
                    return Err(ErrorData::internal_error("cancelled", None));
                }
                _ = ticks.tick() => {
                    let engine = watched.lock().unwrap_or_else(PoisonError::into_inner).clone();
                    tell_progress(context, engine.as_deref(), &mut told).await;
                }
            }
        }
    }
}

/// Tells a client that asked for it how far the index is; only ever more than before.
async fn tell_progress(
    context: &RequestContext<RoleServer>,
    engine: Option<&Engine>,
    told: &mut f64,
) {
    let Some(token) = context.meta.get_progress_token() else { return };
    let Some(building) = engine.and_then(Engine::progress) else { return };
    let done = building.done as f64;
    if building.total == 0 || done <= *told {
        return;
    }
    *told = done;
    let message = format!("indexing: {} of {} files", building.done, building.total);
    let note = ProgressNotificationParam::new(token, done)
        .with_total(building.total as f64)
        .with_message(message);
    // A client that is gone needs no progress.
    let _ = context.peer.notify_progress(note).await;
}

/// The folders that the client works on; nothing if it does not say.
#[expect(deprecated, reason = "clients name their roots in this way until they speak 2026-07-28")]
async fn ask_for_roots(peer: &Peer<RoleServer>) -> Option<Named> {
    let asked = tokio::time::timeout(ROOTS_LIMIT, peer.list_roots()).await.ok()?.ok()?;
    let roots: Vec<PathBuf> = asked
        .roots
        .iter()
        .filter(|root| root.uri.starts_with("file://"))
        .map(|root| path_of(&root.uri))
        .collect();
    if roots.is_empty() { None } else { Some(Named::Client(roots)) }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_prompts().build();
        let mut itself = Implementation::new("reseek", self.version);
        itself.title = Some("reseek".to_owned());
        ServerConfig::new(capabilities).with_server_info(itself).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = request.name.into_owned();
        if !tools::exists(&tool) {
            return Err(no_tool(&tool));
        }
        let named = self.named(&context).await;
        let name = tool.clone();
        let request = Request { tool, arguments: request.arguments, named };
        match self.call(request, &context).await? {
            Ok(answer) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
                result.structured_content = Some(answer.data);
                Ok(result.into())
            }
            Err(Failure::Arguments(message)) => Err(ErrorData::invalid_params(message, None)),
            Err(Failure::NoTool) => Err(no_tool(&name)),
            Err(Failure::Refused(refusal)) => {
                let text = format!(
                    "error ({}): {}\nWhat to do: {}\n",
                    refusal.kind, refusal.message, refusal.advice
                );
                Ok(CallToolResult::error(vec![ContentBlock::text(text)]).into())
            }
        }
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let task = PromptArgument::new("task")
            .with_description("What is to be done, in plain words.")
            .with_required(false);
        let prompt = Prompt::new(
            "retrieve_then_read",
            Some("How to work on a task with reseek: retrieve, read, retrieve again."),
            Some(vec![task]),
        );
        Ok(ListPromptsResult::with_all_items(vec![prompt]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name != "retrieve_then_read" {
            let message = format!("there is no prompt `{}`", crate::text::cut(&request.name, 100));
            return Err(ErrorData::invalid_params(message, None));
        }
        let task = request
            .arguments
            .as_ref()
            .and_then(|arguments| arguments.get("task"))
            .and_then(|task| task.as_str())
            .unwrap_or_default();
        let text =
            if task.is_empty() { GUIDE.to_owned() } else { format!("{GUIDE}\nThe task: {task}\n") };
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // A method that exists comes here when its parameters have another shape than the protocol says.
        let shape = match request.method.as_str() {
            "tools/call" => "`name` must be a text and `arguments` an object",
            "prompts/get" => "`name` must be a text and `arguments` an object of texts",
            "initialize" => "`protocolVersion`, `capabilities` and `clientInfo` are needed",
            "tools/list" | "prompts/list" => "`cursor` must be a text",
            _ => {
                let method = crate::text::cut(&request.method, 100);
                return Err(ErrorData::new(
                    ErrorCode::METHOD_NOT_FOUND,
                    format!("there is no method `{method}`"),
                    None,
                ));
            }
        };
        Err(ErrorData::invalid_params(format!("bad parameters: {shape}"), None))
    }

    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) {
        *self.client_roots.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

fn no_tool(name: &str) -> ErrorData {
    let names: Vec<String> = tools::list().into_iter().map(|tool| tool.name.into_owned()).collect();
    let message = format!(
        "there is no tool `{}`; tools are: {}",
        crate::text::cut(name, 100),
        names.join(", ")
    );
    ErrorData::invalid_params(message, None)
}
