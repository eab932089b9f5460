// A rival of cherish-server: Go's net/http with pgx v4, as people write such a service.
//
//	rival STATEMENTS PORT
//
// It sends the statements that cherish-server sends (STATEMENTS, which benchmark-api writes), each round trip as a
// batch, decodes all rows and answers documents of the same names, without any rule: what a rule would compute is a
// constant.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgtype"
	"github.com/jackc/pgx/v4"
	"github.com/jackc/pgx/v4/pgxpool"
)

// MARK: Documents

type plantDocument struct {
	ID                id       `json:"id"`
	AccountID         id       `json:"accountId"`
	Name              string   `json:"name"`
	Nickname          string   `json:"nickname"`
	Phone             string   `json:"phone"`
	Birthday          *string  `json:"birthday"`
	Species           string   `json:"species"`
	CycleDays         int16    `json:"cycleDays"`
	AlarmTime         string   `json:"alarmTime"`
	PlantedOn         day      `json:"plantedOn"`
	LastWateredOn     *day     `json:"lastWateredOn"`
	DueOn             day      `json:"dueOn"`
	OriginalDueOn     *day     `json:"originalDueOn"`
	WithersOn         day      `json:"withersOn"`
	PausedUntil       *day     `json:"pausedUntil"`
	DaysLeft          int      `json:"daysLeft"`
	Label             string   `json:"label"`
	Condition         string   `json:"condition"`
	Gauge             float64  `json:"gauge"`
	Affection         int16    `json:"affection"`
	Stage             string   `json:"stage"`
	Full              bool     `json:"full"`
	Phrase            string   `json:"phrase"`
	WateringCount     int32    `json:"wateringCount"`
	PostponementCount int32    `json:"postponementCount"`
	PushesEnabled     bool     `json:"pushesEnabled"`
	Favourite         bool     `json:"favourite"`
	Tags              []string `json:"tags"`
	ArchivedAt        *instant `json:"archivedAt"`
	Version           int64    `json:"version"`
	ModifiedAt        *instant `json:"modifiedAt"`
}

type wateringDocument struct {
	ID             string   `json:"id"`
	PlantID        id       `json:"plantId"`
	WateredOn      day      `json:"wateredOn"`
	Method         string   `json:"method"`
	PointsGained   int64    `json:"pointsGained"`
	Keywords       []string `json:"keywords"`
	Memo           *string  `json:"memo"`
	ReviewDeclined bool     `json:"reviewDeclined"`
}

type friendDocument struct {
	plantDocument
	Reviews  []wateringDocument `json:"reviews"`
	Keywords []string           `json:"keywords"`
}

type gardenDocument struct {
	Plants []plantDocument `json:"plants"`
	Next   *string         `json:"next"`
}

type wateredDocument struct {
	Watering wateringDocument `json:"watering"`
	Plant    plantDocument    `json:"plant"`
}

type id [16]byte

func (value *id) DecodeBinary(_ *pgtype.ConnInfo, bytes []byte) error {
	if len(bytes) != len(value) {
		return errors.New("that is no UUID")
	}
	copy(value[:], bytes)
	return nil
}

func (value id) String() string {
	var text [36]byte
	hex.Encode(text[:8], value[:4])
	hex.Encode(text[9:13], value[4:6])
	hex.Encode(text[14:18], value[6:8])
	hex.Encode(text[19:23], value[8:10])
	hex.Encode(text[24:], value[10:])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return string(text[:])
}

func (value id) MarshalText() ([]byte, error) { return []byte(value.String()), nil }

type day time.Time

func (value day) MarshalText() ([]byte, error) {
	return time.Time(value).AppendFormat(nil, "2006-01-02"), nil
}

type instant time.Time

func (value instant) MarshalText() ([]byte, error) {
	return time.Time(value).UTC().AppendFormat(nil, time.RFC3339), nil
}

// MARK: Rows

// A row of any table: the columns of all of them.
type row struct {
	id, accountID, plantID, tagID                                id
	name, phone, nickname, email, timeZone, language             string
	accountPhone, memo                                           *string
	birthdayYear, birthdayMonth, birthdayDay                     *int16
	cycleDays                                                    *int16
	alarmMinute, affection                                       int16
	plantedOn, wateredOn                                         time.Time
	dueOn, lastWateredOn, birthdayOn, passedBirthdayOn           *time.Time
	restoredOn, originalDueOn, modifiedAt                        *time.Time
	dueSource, method                                            string
	number, wateringCount, postponementCount, colour             int32
	reminderNumber                                               *int32
	pushesEnabled, isFavourite, isBackdated, isReviewDeclined    bool
	alarmAt, reminderAt, birthdayAt, passedBirthdayAt, removedAt *time.Time
	witheredAt                                                   *time.Time
	signedInAt, recordedAt                                       time.Time
	provedAccountID                                              string
	alarmedDueDates                                              []time.Time
	keywords                                                     []string
	version, points                                              int64
}

var fields = map[string]func(*row) interface{}{
	"id":                 func(row *row) interface{} { return &row.id },
	"account_id":         func(row *row) interface{} { return &row.accountID },
	"plant_id":           func(row *row) interface{} { return &row.plantID },
	"tag_id":             func(row *row) interface{} { return &row.tagID },
	"name":               func(row *row) interface{} { return &row.name },
	"phone":              func(row *row) interface{} { return &row.phone },
	"nickname":           func(row *row) interface{} { return &row.nickname },
	"email":              func(row *row) interface{} { return &row.email },
	"time_zone":          func(row *row) interface{} { return &row.timeZone },
	"language":           func(row *row) interface{} { return &row.language },
	"memo":               func(row *row) interface{} { return &row.memo },
	"birthday_year":      func(row *row) interface{} { return &row.birthdayYear },
	"birthday_month":     func(row *row) interface{} { return &row.birthdayMonth },
	"birthday_day":       func(row *row) interface{} { return &row.birthdayDay },
	"cycle_days":         func(row *row) interface{} { return &row.cycleDays },
	"alarm_minute":       func(row *row) interface{} { return &row.alarmMinute },
	"affection":          func(row *row) interface{} { return &row.affection },
	"planted_on":         func(row *row) interface{} { return &row.plantedOn },
	"watered_on":         func(row *row) interface{} { return &row.wateredOn },
	"due_on":             func(row *row) interface{} { return &row.dueOn },
	"last_watered_on":    func(row *row) interface{} { return &row.lastWateredOn },
	"birthday_on":        func(row *row) interface{} { return &row.birthdayOn },
	"passed_birthday_on": func(row *row) interface{} { return &row.passedBirthdayOn },
	"restored_on":        func(row *row) interface{} { return &row.restoredOn },
	"original_due_on":    func(row *row) interface{} { return &row.originalDueOn },
	"modified_at":        func(row *row) interface{} { return &row.modifiedAt },
	"due_source":         func(row *row) interface{} { return &row.dueSource },
	"method":             func(row *row) interface{} { return &row.method },
	"number":             func(row *row) interface{} { return &row.number },
	"watering_count":     func(row *row) interface{} { return &row.wateringCount },
	"postponement_count": func(row *row) interface{} { return &row.postponementCount },
	"colour":             func(row *row) interface{} { return &row.colour },
	"reminder_number":    func(row *row) interface{} { return &row.reminderNumber },
	"pushes_enabled":     func(row *row) interface{} { return &row.pushesEnabled },
	"is_favourite":       func(row *row) interface{} { return &row.isFavourite },
	"is_backdated":       func(row *row) interface{} { return &row.isBackdated },
	"is_review_declined": func(row *row) interface{} { return &row.isReviewDeclined },
	"alarm_at":           func(row *row) interface{} { return &row.alarmAt },
	"reminder_at":        func(row *row) interface{} { return &row.reminderAt },
	"birthday_at":        func(row *row) interface{} { return &row.birthdayAt },
	"passed_birthday_at": func(row *row) interface{} { return &row.passedBirthdayAt },
	"removed_at":         func(row *row) interface{} { return &row.removedAt },
	"withered_at":        func(row *row) interface{} { return &row.witheredAt },
	"signed_in_at":       func(row *row) interface{} { return &row.signedInAt },
	"proved_account_id":  func(row *row) interface{} { return &row.provedAccountID },
	"recorded_at":        func(row *row) interface{} { return &row.recordedAt },
	"alarmed_due_dates":  func(row *row) interface{} { return &row.alarmedDueDates },
	"keywords":           func(row *row) interface{} { return &row.keywords },
	"version":            func(row *row) interface{} { return &row.version },
	// The sum of points of a watering.
	"points": func(row *row) interface{} { return &row.points },
}

// MARK: Statements

type recorded struct {
	SQL        string `json:"sql"`
	Parameters []struct {
		Value interface{} `json:"value"`
	} `json:"parameters"`
	Columns []string `json:"columns"`
}

// A parameter: nil, a text, or a function of the variables. PostgreSQL reads any type from text.
type parameter func(map[string]string) interface{}

type statement struct {
	sql        string
	parameters []parameter
	// Where the columns go; nil for those that no document needs.
	fields []func(*row) interface{}
	// What the rows are.
	rows string
}

func newStatement(recorded recorded) statement {
	made := statement{sql: recorded.SQL}
	for _, parameter := range recorded.Parameters {
		made.parameters = append(made.parameters, newParameter(parameter.Value))
	}
	has := map[string]bool{}
	for _, column := range recorded.Columns {
		has[column] = true
	}
	switch {
	case strings.Contains(recorded.SQL, "use_session"):
		made.rows = "session"
	case has["time_zone"]:
		made.rows = "account"
	case has["watering_count"]:
		made.rows = "plants"
	case has["colour"]:
		made.rows = "tags"
	case has["tag_id"]:
		made.rows = "taggings"
	case has["keywords"] && has["coalesce"]:
		made.rows = "reviews"
	case has["keywords"]:
		made.rows = "newest"
	}
	for _, column := range recorded.Columns {
		switch {
		case column == "coalesce" && made.rows == "reviews":
			column = "points"
		case made.rows == "session" && column == "set_config":
			column = "proved_account_id"
		case column == "phone" && made.rows == "account":
			// The one of an account may be null.
			column = ""
		}
		made.fields = append(made.fields, fields[column])
	}
	return made
}

func newParameter(value interface{}) parameter {
	switch value := value.(type) {
	case nil:
		return func(map[string]string) interface{} { return nil }
	case map[string]interface{}:
		name := value["variable"].(string)
		return func(variables map[string]string) interface{} { return variables[name] }
	case []interface{}:
		var elements []parameter
		for _, element := range value {
			elements = append(elements, newParameter(element))
		}
		return func(variables map[string]string) interface{} {
			texts := make([]string, len(elements))
			for index, element := range elements {
				text, isText := element(variables).(string)
				texts[index] = "NULL"
				if isText {
					texts[index] = strconv.Quote(text)
				}
			}
			return "{" + strings.Join(texts, ",") + "}"
		}
	default:
		text := fmt.Sprint(value)
		return func(map[string]string) interface{} { return text }
	}
}

// Runs the round trips of a route, and returns their rows by what they are. No rows and no error if nobody is signed
// in.
func (server *server) run(
	context context.Context, route string, variables map[string]string,
) (map[string][]row, error) {
	connection, err := server.pool.Acquire(context)
	if err != nil {
		return nil, err
	}
	defer connection.Release()
	// Whose the session is, as cherish-server remembers it; the database proves it.
	variables["account"] = server.accounts[variables["session"]]
	rows := map[string][]row{}
	for _, trip := range server.routes[route] {
		if err := send(context, connection.Conn(), trip, variables, rows); err != nil {
			return nil, err
		}
		session := rows["session"]
		if len(session) == 0 ||
			variables["account"] != session[0].provedAccountID && variables["account"] != session[0].accountID.String() {
			return nil, nil
		}
		if found := rows["plants"]; len(found) == 1 {
			variables["phone"] = found[0].phone
			variables["number"] = strconv.Itoa(int(found[0].wateringCount) + 1)
		}
	}
	return rows, nil
}

func send(
	context context.Context, connection *pgx.Conn, trip []statement, variables map[string]string, rows map[string][]row,
) error {
	batch := &pgx.Batch{}
	for _, statement := range trip {
		values := make([]interface{}, len(statement.parameters))
		for index, parameter := range statement.parameters {
			values[index] = parameter(variables)
		}
		batch.Queue(statement.sql, values...)
	}
	results := connection.SendBatch(context, batch)
	defer results.Close()
	for _, statement := range trip {
		found, err := results.Query()
		if err != nil {
			return err
		}
		targets := make([]interface{}, len(statement.fields))
		var decoded []row
		for found.Next() {
			decoded = append(decoded, row{})
			for index, field := range statement.fields {
				if field != nil {
					targets[index] = field(&decoded[len(decoded)-1])
				}
			}
			if err := found.Scan(targets...); err != nil {
				return err
			}
		}
		if err := found.Err(); err != nil {
			return err
		}
		if statement.rows != "" {
			rows[statement.rows] = decoded
		}
	}
	return results.Close()
}

// MARK: Routes

type server struct {
	pool     *pgxpool.Pool
	routes   map[string][][]statement
	accounts map[string]string
}

// What the token holds: a version, the lane, the session and the secret, of which the database has a hash.
func token(request *http.Request) (map[string]string, bool) {
	text := strings.TrimPrefix(request.Header.Get("Authorization"), "Bearer ")
	bytes, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(bytes) < 19 {
		return nil, false
	}
	var session id
	copy(session[:], bytes[2:18])
	hash := sha256.Sum256(bytes[18:])
	return map[string]string{
		"lane": strconv.Itoa(int(bytes[1])), "session": session.String(), "secret": "\\x" + hex.EncodeToString(hash[:]),
	}, true
}

func (server *server) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	parts := strings.Split(strings.Trim(request.URL.Path, "/"), "/")
	variables, isSignedIn := token(request)
	if !isSignedIn {
		http.Error(writer, "not signed in", http.StatusUnauthorized)
		return
	}
	switch {
	case len(parts) < 2 || parts[0] != "v1" || parts[1] != "friends":
		http.NotFound(writer, request)
	case len(parts) == 2 && request.Method == http.MethodGet:
		server.list(writer, request, variables)
	case len(parts) == 3 && request.Method == http.MethodGet:
		variables["friend"] = parts[2]
		server.show(writer, request, variables)
	case len(parts) == 4 && parts[3] == "waterings" && request.Method == http.MethodPost:
		variables["friend"] = parts[2]
		server.water(writer, request, variables)
	default:
		http.NotFound(writer, request)
	}
}

// Runs a route; answers by itself if that fails, if nobody is signed in, or if there is no such friend.
func (server *server) rows(
	writer http.ResponseWriter, request *http.Request, route string, variables map[string]string,
) (map[string][]row, bool) {
	// Not the context of the request: pgx closes a connection whose client goes away, as at the end of each run.
	rows, err := server.run(context.Background(), route, variables)
	switch {
	case err != nil:
		log.Print(err)
		http.Error(writer, "failed", http.StatusInternalServerError)
	case rows == nil:
		http.Error(writer, "not signed in", http.StatusUnauthorized)
	case variables["friend"] != "" && len(rows["plants"]) == 0:
		http.NotFound(writer, request)
	default:
		return rows, true
	}
	return nil, false
}

func (server *server) show(writer http.ResponseWriter, request *http.Request, variables map[string]string) {
	rows, isComplete := server.rows(writer, request, "friend", variables)
	if !isComplete {
		return
	}
	document := friendDocument{
		plantDocument: newPlantDocument(rows["plants"][0], tagNames(rows)), Reviews: []wateringDocument{},
		Keywords: []string{},
	}
	for _, review := range rows["reviews"] {
		document.Reviews = append(document.Reviews, wateringDocument{
			ID: fmt.Sprintf("%s/%d", document.ID, review.number), PlantID: document.ID,
			WateredOn: day(review.wateredOn), Method: review.method, PointsGained: review.points, Keywords: review.keywords, Memo: review.memo,
			ReviewDeclined: review.isReviewDeclined,
		})
	}
	if newest := rows["newest"]; len(newest) > 0 {
		document.Keywords = newest[0].keywords
	}
	answer(writer, http.StatusOK, document)
}

func (server *server) list(writer http.ResponseWriter, request *http.Request, variables map[string]string) {
	limit, err := strconv.Atoi(request.URL.Query().Get("limit"))
	if err != nil {
		limit = 50
	}
	rows, isComplete := server.rows(writer, request, "list", variables)
	if !isComplete {
		return
	}
	names := map[id]string{}
	for _, tag := range rows["tags"] {
		names[tag.id] = tag.name
	}
	tags := map[id][]string{}
	for _, tagging := range rows["taggings"] {
		tags[tagging.plantID] = append(tags[tagging.plantID], names[tagging.tagID])
	}
	document := gardenDocument{Plants: []plantDocument{}}
	for _, plant := range rows["plants"] {
		if len(document.Plants) < limit {
			document.Plants = append(document.Plants, newPlantDocument(plant, tags[plant.id]))
		}
	}
	answer(writer, http.StatusOK, document)
}

func (server *server) water(writer http.ResponseWriter, request *http.Request, variables map[string]string) {
	var contact struct {
		Method string `json:"method"`
	}
	if err := json.NewDecoder(request.Body).Decode(&contact); err != nil {
		http.Error(writer, "unreadable", http.StatusBadRequest)
		return
	}
	variables["method"] = contact.Method
	rows, isComplete := server.rows(writer, request, "watering", variables)
	if !isComplete {
		return
	}
	plant := newPlantDocument(rows["plants"][0], tagNames(rows))
	plant.WateringCount++
	answer(writer, http.StatusCreated, wateredDocument{
		Watering: wateringDocument{
			ID: plant.ID.String() + "/" + variables["number"], PlantID: plant.ID, WateredOn: day(time.Now()),
			Method: contact.Method, Keywords: []string{},
		},
		Plant: plant,
	})
}

func tagNames(rows map[string][]row) []string {
	names := []string{}
	for _, tag := range rows["tags"] {
		names = append(names, tag.name)
	}
	return names
}

func newPlantDocument(row row, tags []string) plantDocument {
	document := plantDocument{
		ID: row.id, AccountID: row.accountID, Name: row.name, Nickname: row.nickname, Phone: row.phone,
		Species: "american_blue", CycleDays: *row.cycleDays,
		AlarmTime: fmt.Sprintf("%02d:%02d", row.alarmMinute/60, row.alarmMinute%60), PlantedOn: day(row.plantedOn),
		LastWateredOn: (*day)(row.lastWateredOn), DueOn: day(*row.dueOn), OriginalDueOn: (*day)(row.originalDueOn),
		WithersOn: day(row.dueOn.AddDate(0, 0, 1)), ModifiedAt: (*instant)(row.modifiedAt), Condition: "thriving", Gauge: 1,
		Affection: row.affection, Stage: "sprout", Phrase: "햇살을 머금은", WateringCount: row.wateringCount,
		PostponementCount: row.postponementCount, PushesEnabled: row.pushesEnabled, Favourite: row.isFavourite,
		Tags: tags, ArchivedAt: (*instant)(row.removedAt), Version: row.version,
	}
	document.DaysLeft = int(time.Until(*row.dueOn).Hours() / 24)
	document.Label = "D-" + strconv.Itoa(document.DaysLeft)
	if row.birthdayMonth != nil && row.birthdayDay != nil {
		birthday := fmt.Sprintf("%02d-%02d", *row.birthdayMonth, *row.birthdayDay)
		document.Birthday = &birthday
	}
	if document.Tags == nil {
		document.Tags = []string{}
	}
	return document
}

func answer(writer http.ResponseWriter, status int, document interface{}) {
	body, err := json.Marshal(document)
	if err != nil {
		log.Print(err)
		http.Error(writer, "failed", http.StatusInternalServerError)
		return
	}
	writer.Header().Set("Content-Type", "application/json")
	writer.WriteHeader(status)
	writer.Write(body)
}

func main() {
	file, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var setting struct {
		Accounts    map[string]string       `json:"accounts"`
		Connections int32                   `json:"connections"`
		Database    map[string]string       `json:"database"`
		Routes      map[string][][]recorded `json:"routes"`
	}
	if err := json.Unmarshal(file, &setting); err != nil {
		log.Fatal(err)
	}
	server := &server{routes: map[string][][]statement{}, accounts: setting.Accounts}
	for name, trips := range setting.Routes {
		for _, trip := range trips {
			var statements []statement
			for _, recorded := range trip {
				statements = append(statements, newStatement(recorded))
			}
			server.routes[name] = append(server.routes[name], statements)
		}
	}
	configuration, err := pgxpool.ParseConfig(fmt.Sprintf(
		"host=%s user=%s dbname=%s", setting.Database["host"], setting.Database["user"], setting.Database["database"]))
	if err != nil {
		log.Fatal(err)
	}
	configuration.MinConns, configuration.MaxConns = setting.Connections, setting.Connections
	// pgx prepares the statements of a batch before it sends the batch, whose first statement sets the same.
	configuration.ConnConfig.RuntimeParams["search_path"] = "garden, public"
	server.pool, err = pgxpool.ConnectConfig(context.Background(), configuration)
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[2], server))
}
