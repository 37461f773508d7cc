package demodata

import (
	"fmt"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// addNotices sets the completion notices of an order, and adds those sent so far.
func (m *worldMaker) addNotices(a store.Account, o demoOrder, past *domain.PastOrder) {
	if o.Notice == noticesOff {
		return
	}
	n := &domain.PastNotify{Notify: store.Notify{
		Owner: m.newUUID(past.Created), Webhook: "https://erp.nordlicht-windkraft.invalid/completed", Email: true,
		Secret: m.newSecret(),
	}}
	past.Notify = n
	if past.Status != api.OrderCompleted {
		return
	}
	at := past.Missions[0].Updated
	for _, mission := range past.Missions {
		if mission.Updated.After(at) {
			at = mission.Updated
		}
	}
	told := api.OrderCompletion{ID: past.UUID, OrderStatus: api.RecordCompleted, CompletedAt: api.TimeOf(at)}
	body, err := json.Marshal(told)
	if err != nil {
		panic(fmt.Sprintf("a notice: %v", err)) // it is of the program's own
	}
	webhook := store.Notice{
		UUID: m.newUUID(at), Kind: store.NoticeWebhook, Address: n.Webhook, Body: string(body),
		Success: true, ResponseCode: 200, Attempts: 1, Created: at,
	}
	if o.Notice == noticesFailed {
		failure := "HTTP 503"
		webhook.Success, webhook.ResponseCode, webhook.Attempts, webhook.Error = false, 503, 4, &failure
	}
	mail := store.Notice{
		UUID: m.newUUID(at), Kind: store.NoticeEmail, Address: a.ClientEmail, Success: true, Attempts: 1, Created: at,
	}
	letter := &domain.NoticeLetter{To: a.ClientEmail, ClientName: a.ClientName, OrderName: o.Name, CompletedAt: at}
	n.Notices = []domain.PastNotice{{Notice: webhook}, {Notice: mail, Letter: letter}}
}
