package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/demodata"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/files"
	"flightdesk/kmlcsv"
)

// handlerBase is what the handlers of all interfaces work with. They reach the store
// through the domain only.
type handlerBase struct {
	domain  *domain.Service
	log     *slog.Logger
	now     func() time.Time
	origin  func(*http.Request) string // of links, in the answer to a request
	cursors cursorSealer
	links   linkSealer
}

// publicHandlers handles the public interface.
type publicHandlers struct {
	*handlerBase
	parsing chan struct{} // one element for each survey file being parsed
	bucket  *files.S3     // that downloads are sent on to; nil: none
}

func (h *publicHandlers) publicRoutes() []apiRoute {
	const (
		webhooks = PublicPath + "/webhooks"
		mission  = PublicPath + "/missions/{uuid}"
	)
	all := []apiRoute{
		{http.MethodPost, PublicPath + "/kml/parse", api.ScopeOrdersWrite, h.parseSurvey(kmlcsv.FormatKML)},
		{http.MethodPost, PublicPath + "/csv/parse", api.ScopeOrdersWrite, h.parseSurvey(kmlcsv.FormatCSV)},
		{http.MethodGet, PublicPath + "/csv/example", api.ScopeOrdersWrite, h.csvExample},
		{http.MethodPost, PublicPath + "/orders", api.ScopeOrdersWrite, h.createOrder},
		{http.MethodGet, PublicPath + "/orders", api.ScopeOrdersRead, h.listOrders},
		{http.MethodGet, PublicPath + "/orders/{code}", api.ScopeOrdersRead, h.getOrder},
		{http.MethodGet, PublicPath + "/orders/{code}/missions", api.ScopeOrdersRead, showFound(h.findByCode, h.listMissions)},
		{http.MethodGet, mission + "/planning", api.ScopeOrdersRead, showFound(h.findMission, h.listPlanning)},
		{http.MethodGet, mission + "/flight-permission", api.ScopeOrdersRead, showFound(h.findMission, h.getPermission)},
		{http.MethodGet, mission + "/delivery-packages", api.ScopeFilesRead, showFound(h.findMission, h.listPackages)},
		{http.MethodGet, PublicPath + "/delivery-packages/{uuid}/files", api.ScopeFilesRead, showFound(h.findPackage, h.listFiles)},
		{http.MethodGet, filesPath + "{token}/{name}", "", h.downloadFile},
		{http.MethodPost, webhooks, api.ScopeWebhooksWrite, readFirst(h.createWebhook)},
		{http.MethodGet, webhooks, api.ScopeWebhooksRead, h.listWebhooks},
		{http.MethodGet, webhooks + "/{uuid}", api.ScopeWebhooksRead, h.getWebhook},
		{http.MethodDelete, webhooks + "/{uuid}", api.ScopeWebhooksWrite, h.deleteWebhook},
		{http.MethodGet, webhooks + "/{uuid}/deliveries", api.ScopeWebhooksRead, showFound(h.findWebhook, h.listDeliveries)},
	}
	// The methods of these are not specified, so all that could be meant are taken.
	for _, method := range [...]string{http.MethodPost, http.MethodPut, http.MethodPatch} {
		all = append(all,
			apiRoute{method, PublicPath + "/orders/{uuid}/cancel", api.ScopeOrdersWrite, moveFound(h.findOrder, h.cancelOrder)},
			apiRoute{method, PublicPath + "/orders/{uuid}/archive", api.ScopeOrdersWrite, moveFound(h.findOrder, h.archiveOrder)},
			apiRoute{method, PublicPath + "/orders/{uuid}/reject", api.ScopeOrdersWrite, moveFound(h.findOrder, h.rejectOrder)},
		)
	}
	return all
}

// legacyHandlers handles the v2 API. Its answers are without the envelope,
// its refusals in it.
type legacyHandlers struct{ *handlerBase }

func (h *legacyHandlers) legacyRoutes() []apiRoute {
	return []apiRoute{
		{http.MethodPost, LegacyPath + "/getorder/{id}", api.ScopeOrdersRead, showFound(h.findRecord, h.getRecord)},
		{http.MethodPost, LegacyPath + "/getorderslist", api.ScopeOrdersRead, h.listRecords},
		{http.MethodPost, LegacyPath + "/order/{orderId}/quote/{quoteId}", api.ScopeOrdersWrite, moveFound(h.findQuote, h.decideQuote)},
		{http.MethodPost, LegacyPath + "/datalibraryorders", api.ScopeFilesRead, h.listDatasets},
		{http.MethodPost, LegacyPath + "/datalibraryorders/{id}", api.ScopeFilesRead, showFound(h.findDataset, h.getDataset)},
	}
}

// operationsHandlers handles the operations API: the service's own side of the story.
type operationsHandlers struct {
	*handlerBase
	uploads fileUploads
}

func (h *operationsHandlers) operationsRoutes() []apiRoute {
	all := []apiRoute{
		{http.MethodGet, "/accounts", scopeOperations, h.listAccounts},
		{http.MethodPost, "/accounts", scopeOperations, readFirst(h.createAccount)},
		{http.MethodPatch, "/accounts/{uuid}", scopeOperations, moveFound(h.findAccount, h.changeAccount)},
		{http.MethodGet, "/accounts/{uuid}/keys", scopeOperations, showFound(h.findAccount, h.listKeys)},
		{http.MethodPost, "/accounts/{uuid}/keys", scopeOperations, moveFound(h.findAccount, h.issueKey)},
		{http.MethodPost, "/accounts/{uuid}/key-requests", scopeOperations, moveFound(h.findAccount, h.requestKey)},
		{http.MethodPost, "/accounts/{uuid}/datasets", scopeOperations, showFound(h.findAccount, h.addDataset)},
		{http.MethodGet, "/accounts/{uuid}/webhooks", scopeOperations, showFound(h.findAccount, h.listWebhooks)},
		{http.MethodPost, "/keys/{uuid}/revoke", scopeOperations, moveFound(h.findKey, h.revokeKey)},
		{http.MethodGet, "/key-requests", scopeOperations, h.listKeyRequests},
		{http.MethodPost, "/key-requests/{uuid}/approve", scopeOperations, moveFound(h.findKeyRequest, h.approveKey)},
		{http.MethodPost, "/key-requests/{uuid}/decline", scopeOperations, moveFound(h.findKeyRequest, h.declineKey)},
		{http.MethodGet, "/webhooks/{uuid}/deliveries", scopeOperations, showFound(h.findWebhook, h.listDeliveries)},
		{http.MethodPost, "/webhooks/{uuid}/test", scopeOperations, moveFound(h.findWebhook, h.testWebhook)},
		{http.MethodGet, "/deliveries/{uuid}", scopeOperations, h.showDelivery},
		{http.MethodPost, "/deliveries/{uuid}/resend", scopeOperations, moveFound(h.findDelivery, h.resendDelivery)},
		{http.MethodGet, "/orders", scopeOperations, h.listOrders},
		{http.MethodGet, "/orders/{uuid}", scopeOperations, h.getOrder},
		{http.MethodDelete, "/orders/{uuid}", scopeOperations, moveFound(h.findOrder, h.deleteOrder)},
		{http.MethodPost, "/orders/{uuid}/quotes", scopeOperations, moveFound(h.findOrder, h.issueQuote)},
		{http.MethodPost, "/orders/{uuid}/not-feasible", scopeOperations, moveFound(h.findOrder, h.reportNotFeasible)},
		{http.MethodPost, "/orders/{uuid}/reject", scopeOperations, moveFound(h.findOrder, h.rejectOrder)},
		{http.MethodPut, "/orders/{uuid}/details", scopeOperations, moveFound(h.findOrder, h.setDetails)},
		{http.MethodPut, "/orders/{uuid}/notifications", scopeOperations, moveFound(h.findOrder, h.setNotifications)},
		{http.MethodGet, "/orders/{uuid}/notifications", scopeOperations, showFound(h.findOrder, h.listNotices)},
		{http.MethodPost, "/notifications/{uuid}/resend", scopeOperations, moveFound(h.findNotice, h.resendNotice)},
		{http.MethodPost, "/missions/{uuid}/assign-operator", scopeOperations, moveFound(h.findMission, h.assignOperator)},
		{http.MethodPost, "/missions/{uuid}/schedule", scopeOperations, moveFound(h.findMission, h.scheduleFlight)},
		{http.MethodPut, "/missions/{uuid}/flight-permission", scopeOperations, h.recordPermission},
		{http.MethodPost, "/missions/{uuid}/deliver", scopeOperations, h.deliverFiles},
		{http.MethodPost, "/missions/{uuid}/accept-delivery", scopeOperations, moveFound(h.findMission, h.acceptDelivery)},
	}
	for i := range all {
		switch path := all[i].path; {
		case path == "/orders/{uuid}" && all[i].method == http.MethodGet:
			byMission := withCode(all[i].handle, "MSN-", h.domain.Orders.UUIDOfMission)
			all[i].handle = withCode(byMission, "ORD-", h.domain.Orders.UUIDOf)
		case strings.HasPrefix(path, "/orders/{uuid}"):
			all[i].handle = withCode(all[i].handle, "ORD-", h.domain.Orders.UUIDOf)
		case strings.HasPrefix(path, "/missions/{uuid}"):
			all[i].handle = withCode(all[i].handle, "MSN-", h.domain.Missions.UUIDOf)
		}
		all[i].path = OpsPath + all[i].path
	}
	return all
}

// withCode lets an operation on an order or a mission be given its code in
// place of its uuid.
func withCode(
	handle operationHandler, prefix string, find func(ctx context.Context, code string) (string, error),
) operationHandler {
	return func(x *exchange) (handlerAnswer, error) {
		if code := x.r.PathValue("uuid"); strings.HasPrefix(code, prefix) {
			uuid, err := find(x.r.Context(), code)
			if err != nil {
				return handlerAnswer{}, err
			}
			x.r.SetPathValue("uuid", uuid)
		}
		return handle(x)
	}
}

// testControls handles the operations that clients are tried with: clock,
// faults, simulator, trust, snapshots and reset.
type testControls struct {
	*handlerBase
	isOpen     bool // not only the reads are allowed
	clock      *serviceClock
	faults     *faultInjector
	resets     *resetGate
	simulation *simulatorRun
	callbacks  *callbackBook
	director   *clockDirector
	demo       *demodata.WorldOptions // of the world that a reset goes back to; nil is an empty one
}

func (c *testControls) testRoutes() []apiRoute {
	return []apiRoute{
		{http.MethodGet, OpsPath + "/clock", scopeOperations, c.readClock},
		{http.MethodPost, OpsPath + "/clock", scopeOperations, readOpen(c, c.advanceClock)},
		{http.MethodGet, OpsPath + "/faults", scopeOperations, c.readFaults},
		{http.MethodPut, OpsPath + "/faults", scopeOperations, readFirst(c.setFaults)},
		{http.MethodPost, OpsPath + "/reset", scopeOperations, readOpen(c, c.resetWorld)},
		{http.MethodGet, OpsPath + "/snapshots", scopeOperations, c.listSnapshots},
		{http.MethodPost, OpsPath + "/snapshots", scopeOperations, readOpen(c, c.takeSnapshot)},
		{http.MethodPost, OpsPath + "/snapshots/{name}/restore", scopeOperations, readOpen(c, c.restoreSnapshot)},
		{http.MethodGet, OpsPath + "/simulator", scopeOperations, c.readSimulator},
		{http.MethodPost, OpsPath + "/simulator", scopeOperations, readFirst(c.setSimulator)},
		{http.MethodPost, OpsPath + "/webhook-trust", scopeOperations, readOpen(c, c.trustWebhooks)},
	}
}

// readOpen returns a handler of what is for trying things out only.
func readOpen[B any](c *testControls, act func(*exchange, *B) (handlerAnswer, error)) operationHandler {
	return readFirst(func(x *exchange, in *B) (handlerAnswer, error) {
		if err := c.checkOpen(); err != nil {
			return handlerAnswer{}, err
		}
		return act(x, in)
	})
}

// checkOpen refuses what is for trying things out only.
func (c *testControls) checkOpen() error {
	if c.isOpen {
		return nil
	}
	return newFault(api.CodeConflict, "this is possible only if the service runs with --memory or --demo")
}

// monitoringHandlers handles what is asked of the service as a program.
type monitoringHandlers struct {
	metrics *serviceMetrics
	files   *fileHealth
}

func (m *monitoringHandlers) monitoringRoutes() []apiRoute {
	return []apiRoute{
		{http.MethodGet, "/healthz", "", m.answerHealth},
		{http.MethodGet, "/readyz", "", m.answerReady},
		{http.MethodGet, "/metrics", scopeMonitoring, m.readMetrics},
		{http.MethodGet, "/openapi.yaml", "", m.openAPI},
	}
}

// answerHealth says that the process lives, whatever it depends on.
func (m *monitoringHandlers) answerHealth(*exchange) (handlerAnswer, error) {
	return handlerAnswer{message: "serving", data: struct {
		Status   string `json:"status"`
		Database string `json:"database,omitzero"`
	}{"ok", m.metrics.store.State()}}, nil
}

// fileHealth knows since when the files cannot be reached.
type fileHealth struct {
	files files.Store
	now   func() time.Time

	mu   sync.Mutex
	away time.Time // zero: they can be
}

// checkFiles returns since when the files cannot be reached, zero where they can be.
func (h *fileHealth) checkFiles(ctx context.Context) time.Time {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	err := h.files.Ready(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case err == nil:
		h.away = time.Time{}
	case h.away.IsZero():
		h.away = h.now()
	}
	return h.away
}

// answerReady says whether requests can be served now. That is up to the database:
// without the files most requests can, and all processes have the same ones.
func (m *monitoringHandlers) answerReady(x *exchange) (handlerAnswer, error) {
	ctx, cancel := context.WithTimeout(x.r.Context(), readyTimeout)
	defer cancel()
	if err := m.metrics.store.Ready(ctx); err != nil {
		return handlerAnswer{}, fmt.Errorf("%w: %w", store.ErrAway, err)
	}
	state := struct {
		Status string   `json:"status"`
		Files  string   `json:"files"`
		Since  api.Time `json:"filesAwaySince,omitzero"`
	}{"ok", "ok", api.Time{}}
	if since := m.files.checkFiles(x.r.Context()); !since.IsZero() {
		state.Files, state.Since = "away", api.TimeOf(since)
	}
	return handlerAnswer{message: "ready", data: state}, nil
}

// readyTimeout is how long the check of what the service depends on may take.
const readyTimeout = 3 * time.Second
