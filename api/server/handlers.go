package server

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/callback"
	"flightdesk/api/server/internal/demodata"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/files"
	"flightdesk/kmlcsv"
)

// handlerBase contains the dependencies that all handlers share. Handlers access the store only
// through the domain.
type handlerBase struct {
	domain  *domain.Service
	log     *slog.Logger
	now     func() time.Time
	origin  func(*http.Request) string // returns the origin of the links in the answer to a request
	cursors cursorSealer
	links   linkSealer
}

// publicHandlers handles the public API.
type publicHandlers struct {
	*handlerBase
	parsing   chan struct{}       // limits how many survey files are parsed at once
	bucket    func() *files.S3    // the bucket that downloads are redirected to, or nil
	transport *callback.Transport // of callbacks
}

// publicRoutes returns the routes of the public API, grouped by the scope that they need.
func (h *publicHandlers) publicRoutes() []apiRoute {
	orderMoves := routeTable{}
	// The API does not specify the methods of these operations, so all plausible ones are
	// accepted.
	for _, method := range []string{"POST", "PUT", "PATCH"} {
		orderMoves[method+" /orders/{uuid}/cancel"] = moveFound(h.findOrder, h.cancelOrder)
		orderMoves[method+" /orders/{uuid}/archive"] = moveFound(h.findOrder, h.archiveOrder)
		orderMoves[method+" /orders/{uuid}/reject"] = moveFound(h.findOrder, h.rejectOrder)
	}
	return slices.Concat(
		orderMoves.routesBelow(PublicPath, api.ScopeOrdersWrite),
		routeTable{
			"POST /orders": h.createOrder,
			// Survey files are parsed to place orders, so parsing needs the same scope.
			"POST /kml/parse":  h.parseSurvey(kmlcsv.FormatKML),
			"POST /csv/parse":  h.parseSurvey(kmlcsv.FormatCSV),
			"GET /csv/example": h.csvExample,
		}.routesBelow(PublicPath, api.ScopeOrdersWrite),
		routeTable{
			"GET /orders":                            h.listOrders,
			"GET /orders/{code}":                     h.getOrder,
			"GET /orders/{code}/missions":            showFound(h.findByCode, h.listMissions),
			"GET /missions/{uuid}/planning":          showFound(h.findMission, h.listPlanning),
			"GET /missions/{uuid}/flight-permission": showFound(h.findMission, h.getPermission),
		}.routesBelow(PublicPath, api.ScopeOrdersRead),
		routeTable{
			"GET /missions/{uuid}/delivery-packages": showFound(h.findMission, h.listPackages),
			"GET /delivery-packages/{uuid}/files":    showFound(h.findPackage, h.listFiles),
		}.routesBelow(PublicPath, api.ScopeFilesRead),
		routeTable{
			"POST /webhooks":          readFirst(h.createWebhook),
			"DELETE /webhooks/{uuid}": h.deleteWebhook,
		}.routesBelow(PublicPath, api.ScopeWebhooksWrite),
		routeTable{
			"GET /webhooks":                   h.listWebhooks,
			"GET /webhooks/{uuid}":            h.getWebhook,
			"GET /webhooks/{uuid}/deliveries": showFound(h.findWebhook, h.listDeliveries),
		}.routesBelow(PublicPath, api.ScopeWebhooksRead),
		routeTable{"GET " + filesPath + "{token}/{name}": h.downloadFile}.routesBelow("", ""),
	)
}

// legacyHandlers handles the v2 API. Its successful answers have no JSON envelope, its
// errors do.
type legacyHandlers struct{ *handlerBase }

// legacyRoutes returns the routes of the v2 API, grouped by the scope that they need.
func (h *legacyHandlers) legacyRoutes() []apiRoute {
	return slices.Concat(
		routeTable{
			"POST /getorder/{id}": showFound(h.findRecord, h.getRecord),
			"POST /getorderslist": h.listRecords,
		}.routesBelow(LegacyPath, api.ScopeOrdersRead),
		routeTable{
			"POST /order/{orderId}/quote/{quoteId}": moveFound(h.findQuote, h.decideQuote),
		}.routesBelow(LegacyPath, api.ScopeOrdersWrite),
		routeTable{
			"POST /datalibraryorders":      h.listDatasets,
			"POST /datalibraryorders/{id}": showFound(h.findDataset, h.getDataset),
		}.routesBelow(LegacyPath, api.ScopeFilesRead),
	)
}

// operationsHandlers handles the operations API, which the staff of the service uses.
type operationsHandlers struct {
	*handlerBase
	uploads  fileUploads
	requests *requestLog
}

func (h *operationsHandlers) operationsRoutes() []apiRoute {
	findKeyRequest := findRecord[store.KeyRequest](h.handlerBase, "key request not found")
	all := routeTable{
		"GET /accounts":                          h.listAccounts,
		"GET /accounts/{uuid}/keys":              showFound(h.findAccount, h.listKeys),
		"POST /accounts/{uuid}/key-requests":     moveFound(h.findAccount, h.requestKey),
		"POST /accounts/{uuid}/datasets":         showFound(h.findAccount, h.addDataset),
		"GET /accounts/{uuid}/webhooks":          showFound(h.findAccount, h.listWebhooks),
		"GET /accounts/{uuid}/notifications":     showFound(h.findAccount, h.listAccountNotices),
		"GET /key-requests":                      h.listKeyRequests,
		"GET /webhooks/{uuid}/deliveries":        showFound(h.findWebhook, h.listDeliveries),
		"POST /webhooks/{uuid}/test":             moveFound(h.findWebhook, h.testWebhook),
		"GET /deliveries/{uuid}":                 h.showDelivery,
		"POST /deliveries/{uuid}/resend":         moveFound(findRecord[store.Delivery](h.handlerBase, "callback not found"), h.resendDelivery),
		"GET /user":                              h.showUser,
		"GET /find":                              h.find,
		"GET /requests":                          h.listRequests,
		"GET /orders":                            h.listOrders,
		"GET /orders/{uuid}":                     h.getOrder,
		"DELETE /orders/{uuid}":                  moveFound(h.findOrder, h.deleteOrder),
		"POST /orders/{uuid}/quotes":             moveFound(h.findOrder, h.issueQuote),
		"POST /orders/{uuid}/not-feasible":       moveFound(h.findOrder, h.reportNotFeasible),
		"POST /orders/{uuid}/reject":             moveFound(h.findOrder, h.rejectOrder),
		"PUT /orders/{uuid}/details":             moveFound(h.findOrder, h.setDetails),
		"PUT /orders/{uuid}/notifications":       moveFound(h.findOrder, h.setNotifications),
		"GET /orders/{uuid}/notifications":       showFound(h.findOrder, h.listNotices),
		"GET /orders/{uuid}/changes":             showFound(h.findOrder, h.listChanges),
		"POST /notifications/{uuid}/resend":      moveFound(findRecord[store.Notice](h.handlerBase, "notification not found"), h.resendNotice),
		"POST /missions/{uuid}/assign-operator":  moveFound(h.findMission, h.assignOperator),
		"POST /missions/{uuid}/schedule":         moveFound(h.findMission, h.scheduleFlight),
		"PUT /missions/{uuid}/flight-permission": showFound(h.findMission, h.recordPermission),
		"POST /missions/{uuid}/deliver":          h.deliverFiles,
		"POST /missions/{uuid}/accept-delivery":  moveFound(h.findMission, h.acceptDelivery),
	}
	for pattern, handle := range all {
		if pattern == "GET /orders/{uuid}" { // also finds the order of a mission
			handle = withCode(handle, "MSN-", h.domain.Orders.UUIDOfMission)
		}
		if strings.Contains(pattern, " /orders/{uuid}") {
			handle = withCode(handle, "ORD-", h.domain.Orders.UUIDOf)
		} else if strings.Contains(pattern, " /missions/{uuid}") {
			handle = withCode(handle, "MSN-", h.domain.Missions.UUIDOf)
		}
		all[pattern] = handle
	}
	return slices.Concat(all.routesBelow(OpsPath, scopeOperations), routeTable{
		"POST /accounts":                    readFirst(h.createAccount),
		"PATCH /accounts/{uuid}":            moveFound(h.findAccount, h.changeAccount),
		"POST /accounts/{uuid}/keys":        moveFound(h.findAccount, h.issueKey),
		"POST /keys/{uuid}/revoke":          moveFound(findRecord[store.Key](h.handlerBase, "key not found"), h.revokeKey),
		"POST /key-requests/{uuid}/approve": moveFound(findKeyRequest, h.approveKey),
		"POST /key-requests/{uuid}/decline": moveFound(findKeyRequest, h.declineKey),
		"GET /operators":                    h.listOperators,
		"POST /operators":                   readFirst(h.addOperator),
		"POST /operators/{uuid}/rotate":     readFirst(h.rotateOperator),
		"POST /operators/{uuid}/revoke":     readFirst(h.revokeOperator),
		"GET /audit":                        h.listAudit,
		"GET /invitations":                  h.listInvitations,
		"POST /invitations":                 readFirst(h.invite),
		"POST /invitations/{uuid}/withdraw": readFirst(h.withdrawInvitation),
	}.routesBelow(OpsPath, scopeAdministration))
}

// withCode wraps an operation that expects a UUID in its path, so that the path may also
// contain a code. It replaces a code with the given prefix by the UUID that uuidOf returns.
func withCode(
	handle operationHandler, prefix string, uuidOf func(ctx context.Context, code string) (string, error),
) operationHandler {
	return func(x *exchange) (handlerAnswer, error) {
		if code := x.uuid(); strings.HasPrefix(code, prefix) {
			uuid, err := uuidOf(x.r.Context(), code)
			if err != nil {
				return handlerAnswer{}, err
			}
			x.r.SetPathValue("uuid", uuid)
		}
		return handle(x)
	}
}

// testControls handles the operations for testing clients: clock, faults, simulator,
// trusted certificates, snapshots and reset.
type testControls struct {
	*handlerBase
	access     controlAccess
	clock      *serviceClock
	faults     *faultInjector
	resets     *resetGate
	simulation *simulatorRun
	callbacks  *callbackRegistry
	director   *clockDirector
	server     *Server
	demo       *demodata.WorldOptions // demo data that a reset restores; nil is an empty store
}

// testRoutes returns the routes of the test controls. Reads need scopeOperations, and changes
// need scopeAdministration. If this service does not allow a change, it answers with a conflict
// error.
func (c *testControls) testRoutes() []apiRoute {
	return slices.Concat(routeTable{
		"GET /clock":     c.readClock,
		"GET /faults":    c.readFaults,
		"GET /snapshots": c.listSnapshots,
		"GET /simulator": c.readSimulator,
		"GET /scenarios": c.listScenarios,
	}.routesBelow(OpsPath, scopeOperations), routeTable{
		"POST /clock":                    readIf(c.access.worldRefusal(), c.advanceClock),
		"PUT /faults":                    readIf(c.access.playRefusal(), c.setFaults),
		"POST /reset":                    readIf(c.access.worldRefusal(), c.resetWorld),
		"POST /snapshots":                readIf(c.access.worldRefusal(), c.takeSnapshot),
		"POST /snapshots/{name}/restore": readIf(c.access.worldRefusal(), c.restoreSnapshot),
		"POST /simulator":                readIf(c.access.playRefusal(), c.setSimulator),
		"POST /webhook-trust":            readIf(c.access.worldRefusal(), c.trustWebhooks),
		"POST /scenarios/{name}/play":    readIf(c.access.worldRefusal(), c.playScenario),
		"POST /demo-accounts":            readIf(c.access.worldRefusal(), c.addDemoAccount),
	}.routesBelow(OpsPath, scopeAdministration))
}

// monitoringHandlers handles health checks, metrics and the API description.
type monitoringHandlers struct {
	metrics      *serviceMetrics
	dependencies *dependencies
	now          func() time.Time // of the service
	stops        *atomic.Bool     // true when the service is about to stop
}

func (m *monitoringHandlers) monitoringRoutes() []apiRoute {
	open := routeTable{
		"GET /healthz":                 m.answerHealth,
		"GET /readyz":                  m.answerReady,
		"GET /openapi.yaml":            answerDocument("openapi.yaml", api.ClientOpenAPI),
		"GET /openapi-operations.yaml": answerDocument("openapi-operations.yaml", api.OperationsOpenAPI),
	}
	figures := routeTable{"GET /metrics": m.readMetrics}
	return append(open.routesBelow("", ""), figures.routesBelow("", scopeMonitoring)...)
}
