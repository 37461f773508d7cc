package api

// The records as their fields describe them, without the methods of the type
// that they stand for: it is these that are encoded.
type (
	wireOrder                Order
	wireMission              Mission
	wirePlacemark            Placemark
	wirePlanningEntry        PlanningEntry
	wireFlightPermission     FlightPermission
	wireDeliveryPackage      DeliveryPackage
	wireDeliveryFile         DeliveryFile
	wireNotifications        Notifications
	wireOrderCompletion      OrderCompletion
	wirePointOfContact       PointOfContact
	wireAdvancedOption       AdvancedOption
	wireDataset              Dataset
	wireQuote                Quote
	wireWebhookEndpoint      WebhookEndpoint
	wireWebhookDelivery      WebhookDelivery
	wireEvent                Event
	wireEventData            EventData
	wireEventMission         EventMission
	wireAccount              Account
	wireAccountKey           AccountKey
	wireKeyRequest           KeyRequest
	wireOrderDetails         OrderDetails
	wireNotificationSettings NotificationSettings
	wireCompletionNotice     CompletionNotice
	wireCallbackHistory      CallbackHistory
	wireCallbackAttempt      CallbackAttempt
	wireServiceClock         ServiceClock
	wireFaults               Faults
	wireResetResult          ResetResult
	wireSimulator            SimulatorState
	wireSimulatorStep        SimulatorStep
	wireScenario             ScenarioState
	wireScenarioEvent        ScenarioEvent
	wireTrustResult          TrustResult
	wireOrderRecord          OrderRecord
)

// MarshalJSON writes the service's form.
func (r Order) MarshalJSON() ([]byte, error) { return encodeRecord(wireOrder(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Order) UnmarshalJSON(b []byte) error {
	err := decode(b, (*wireOrder)(r))
	r.keepUnread(b)
	return err
}

func (r *Order) keepUnread(b []byte) { keepUnread(b, &r.Extra, r.AreaSize == nil, "areaSize") }

// MarshalJSON writes the service's form.
func (r Mission) MarshalJSON() ([]byte, error) { return encodeRecord(wireMission(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Mission) UnmarshalJSON(b []byte) error {
	err := decode(b, (*wireMission)(r))
	r.keepUnread(b)
	return err
}

func (r *Mission) keepUnread(b []byte) {
	keepUnread(b, &r.Extra, r.AreaSize == nil, "areaSize")
	keepUnread(b, &r.Extra, r.LocationMap == nil, "locationMap")
}

// MarshalJSON writes the service's form.
func (r Placemark) MarshalJSON() ([]byte, error) { return encodeRecord(wirePlacemark(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Placemark) UnmarshalJSON(b []byte) error {
	err := decode(b, (*wirePlacemark)(r))
	keepUnread(b, &r.Extra, r.LocationMap == nil, "locationMap")
	return err
}

// MarshalJSON writes the service's form.
func (r PlanningEntry) MarshalJSON() ([]byte, error) { return encodeRecord(wirePlanningEntry(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *PlanningEntry) UnmarshalJSON(b []byte) error { return decode(b, (*wirePlanningEntry)(r)) }

// MarshalJSON writes the service's form.
func (r FlightPermission) MarshalJSON() ([]byte, error) { return encodeRecord(wireFlightPermission(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *FlightPermission) UnmarshalJSON(b []byte) error {
	return decode(b, (*wireFlightPermission)(r))
}

// MarshalJSON writes the service's form.
func (r DeliveryPackage) MarshalJSON() ([]byte, error) { return encodeRecord(wireDeliveryPackage(r)) }

// UnmarshalJSON reads the service's form, leniently. What is not sent is not
// known.
func (r *DeliveryPackage) UnmarshalJSON(b []byte) error {
	r.FileCount, r.TotalSize = unknownSize, unknownSize
	err := decode(b, (*wireDeliveryPackage)(r))
	if r.FileCount == 0 && numberOf(memberOf(b, "fileCount")) == nil {
		r.FileCount = unknownSize
	}
	keepUnread(b, &r.Extra, r.FileCount < 0, "fileCount")
	keepUnread(b, &r.Extra, r.TotalSize < 0, "totalSize")
	return err
}

// MarshalJSON writes the service's form.
func (r DeliveryFile) MarshalJSON() ([]byte, error) { return encodeRecord(wireDeliveryFile(r)) }

// UnmarshalJSON reads the service's form, leniently. What is not sent is not
// known.
func (r *DeliveryFile) UnmarshalJSON(b []byte) error {
	r.FileSize = unknownSize
	err := decode(b, (*wireDeliveryFile)(r))
	keepUnread(b, &r.Extra, r.FileSize < 0, "fileSize")
	return err
}

// MarshalJSON writes the service's form.
func (r Notifications) MarshalJSON() ([]byte, error) { return encodeRecord(wireNotifications(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Notifications) UnmarshalJSON(b []byte) error { return decode(b, (*wireNotifications)(r)) }

// MarshalJSON writes the service's form.
func (r OrderCompletion) MarshalJSON() ([]byte, error) { return encodeRecord(wireOrderCompletion(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *OrderCompletion) UnmarshalJSON(b []byte) error { return decode(b, (*wireOrderCompletion)(r)) }

// MarshalJSON writes the service's form.
func (r PointOfContact) MarshalJSON() ([]byte, error) { return encodeRecord(wirePointOfContact(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *PointOfContact) UnmarshalJSON(b []byte) error { return decode(b, (*wirePointOfContact)(r)) }

// MarshalJSON writes the service's form.
func (r AdvancedOption) MarshalJSON() ([]byte, error) { return encodeRecord(wireAdvancedOption(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *AdvancedOption) UnmarshalJSON(b []byte) error {
	err := decode(b, (*wireAdvancedOption)(r))
	keepUnread(b, &r.Extra, r.FlightHeight == nil, "flightHeight")
	return err
}

// MarshalJSON writes the service's form.
func (r Dataset) MarshalJSON() ([]byte, error) { return encodeRecord(wireDataset(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Dataset) UnmarshalJSON(b []byte) error {
	err := decode(b, (*wireDataset)(r))
	r.keepUnread(b)
	return err
}

func (r *Dataset) keepUnread(b []byte) { keepUnread(b, &r.Extra, r.LocationMap == nil, "locationMap") }

// MarshalJSON writes the service's form.
func (r Quote) MarshalJSON() ([]byte, error) { return encodeRecord(wireQuote(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Quote) UnmarshalJSON(b []byte) error { return decode(b, (*wireQuote)(r)) }

// MarshalJSON writes the service's form.
func (r WebhookEndpoint) MarshalJSON() ([]byte, error) { return encodeRecord(wireWebhookEndpoint(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *WebhookEndpoint) UnmarshalJSON(b []byte) error { return decode(b, (*wireWebhookEndpoint)(r)) }

// MarshalJSON writes the service's form.
func (r WebhookDelivery) MarshalJSON() ([]byte, error) { return encodeRecord(wireWebhookDelivery(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *WebhookDelivery) UnmarshalJSON(b []byte) error { return decode(b, (*wireWebhookDelivery)(r)) }

// MarshalJSON writes the service's form.
func (r Event) MarshalJSON() ([]byte, error) { return encodeRecord(wireEvent(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Event) UnmarshalJSON(b []byte) error { return decode(b, (*wireEvent)(r)) }

// MarshalJSON writes the service's form.
func (r EventData) MarshalJSON() ([]byte, error) { return encodeRecord(wireEventData(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *EventData) UnmarshalJSON(b []byte) error { return decode(b, (*wireEventData)(r)) }

// MarshalJSON writes the service's form.
func (r EventMission) MarshalJSON() ([]byte, error) { return encodeRecord(wireEventMission(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *EventMission) UnmarshalJSON(b []byte) error { return decode(b, (*wireEventMission)(r)) }

// MarshalJSON writes the service's form.
func (r Account) MarshalJSON() ([]byte, error) { return encodeRecord(wireAccount(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Account) UnmarshalJSON(b []byte) error { return decode(b, (*wireAccount)(r)) }

// MarshalJSON writes the service's form.
func (r AccountKey) MarshalJSON() ([]byte, error) { return encodeRecord(wireAccountKey(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *AccountKey) UnmarshalJSON(b []byte) error { return decode(b, (*wireAccountKey)(r)) }

// MarshalJSON writes the service's form.
func (r KeyRequest) MarshalJSON() ([]byte, error) { return encodeRecord(wireKeyRequest(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *KeyRequest) UnmarshalJSON(b []byte) error { return decode(b, (*wireKeyRequest)(r)) }

// MarshalJSON writes the service's form.
func (r OrderDetails) MarshalJSON() ([]byte, error) { return encodeRecord(wireOrderDetails(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *OrderDetails) UnmarshalJSON(b []byte) error { return decode(b, (*wireOrderDetails)(r)) }

// MarshalJSON writes the service's form.
func (r NotificationSettings) MarshalJSON() ([]byte, error) {
	return encodeRecord(wireNotificationSettings(r))
}

// UnmarshalJSON reads the service's form, leniently.
func (r *NotificationSettings) UnmarshalJSON(b []byte) error {
	return decode(b, (*wireNotificationSettings)(r))
}

// MarshalJSON writes the service's form.
func (r CompletionNotice) MarshalJSON() ([]byte, error) { return encodeRecord(wireCompletionNotice(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *CompletionNotice) UnmarshalJSON(b []byte) error {
	return decode(b, (*wireCompletionNotice)(r))
}

// MarshalJSON writes the service's form.
func (r CallbackHistory) MarshalJSON() ([]byte, error) { return encodeRecord(wireCallbackHistory(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *CallbackHistory) UnmarshalJSON(b []byte) error {
	return decode(b, (*wireCallbackHistory)(r))
}

// MarshalJSON writes the service's form.
func (r CallbackAttempt) MarshalJSON() ([]byte, error) { return encodeRecord(wireCallbackAttempt(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *CallbackAttempt) UnmarshalJSON(b []byte) error {
	return decode(b, (*wireCallbackAttempt)(r))
}

// MarshalJSON writes the service's form.
func (r ServiceClock) MarshalJSON() ([]byte, error) { return encodeRecord(wireServiceClock(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *ServiceClock) UnmarshalJSON(b []byte) error { return decode(b, (*wireServiceClock)(r)) }

// MarshalJSON writes the service's form.
func (r Faults) MarshalJSON() ([]byte, error) { return encodeRecord(wireFaults(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *Faults) UnmarshalJSON(b []byte) error { return decode(b, (*wireFaults)(r)) }

// MarshalJSON writes the service's form.
func (r ResetResult) MarshalJSON() ([]byte, error) { return encodeRecord(wireResetResult(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *ResetResult) UnmarshalJSON(b []byte) error { return decode(b, (*wireResetResult)(r)) }

// MarshalJSON writes the service's form.
func (r SimulatorState) MarshalJSON() ([]byte, error) { return encodeRecord(wireSimulator(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *SimulatorState) UnmarshalJSON(b []byte) error { return decode(b, (*wireSimulator)(r)) }

// MarshalJSON writes the service's form.
func (r SimulatorStep) MarshalJSON() ([]byte, error) { return encodeRecord(wireSimulatorStep(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *SimulatorStep) UnmarshalJSON(b []byte) error { return decode(b, (*wireSimulatorStep)(r)) }

// MarshalJSON writes the service's form.
func (r ScenarioState) MarshalJSON() ([]byte, error) { return encodeRecord(wireScenario(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *ScenarioState) UnmarshalJSON(b []byte) error { return decode(b, (*wireScenario)(r)) }

// MarshalJSON writes the service's form.
func (r ScenarioEvent) MarshalJSON() ([]byte, error) { return encodeRecord(wireScenarioEvent(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *ScenarioEvent) UnmarshalJSON(b []byte) error { return decode(b, (*wireScenarioEvent)(r)) }

// MarshalJSON writes the service's form.
func (r TrustResult) MarshalJSON() ([]byte, error) { return encodeRecord(wireTrustResult(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *TrustResult) UnmarshalJSON(b []byte) error { return decode(b, (*wireTrustResult)(r)) }

// MarshalJSON writes the service's form.
func (r OrderRecord) MarshalJSON() ([]byte, error) { return encodeRecord(wireOrderRecord(r)) }

// UnmarshalJSON reads the service's form, leniently.
func (r *OrderRecord) UnmarshalJSON(b []byte) error { return decodeRecord(b, r) }
