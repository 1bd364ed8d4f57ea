// Lists the pets of a Pet Store service, or creates one. Needs Go 1.19, and no packages.
//
//	export KEY=psk_... PETSTORE_URL=https://petstore.example/v1
//	go run pets.go
//	go run pets.go NAME CATEGORY_ID [IDEMPOTENCY_KEY]
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	timeout       = 30 * time.Second // of an attempt, with its body
	maxAttempts   = 6
	maxRetryAfter = 60 * time.Second
	parameter     = `\s*;\s*[\w*-]+(?:\s*=\s*(?:"[^"]*"|[^\s;,"]+))?`
)

// A link of a Link header (RFC 8288): <TARGET>; rel="RELATIONS", with other parameters before and after it.
var link = regexp.MustCompile(
	`(?i)<([^<>]*)>(?:` + parameter + `)*?\s*;\s*rel\s*=\s*"?([^";,]*)"?(?:` + parameter + `)*`)

type Pet struct {
	ID         int64  `json:"id,omitempty"` // set by the service
	Name       string `json:"name"`
	CategoryID int64  `json:"categoryId"`
	Status     string `json:"status,omitempty"`
}

// Error is an error response. Its code is for programs, and its message for people.
type Error struct {
	Code, Message, RequestID string
	Status                   int
	RetryAfter               time.Duration
}

func (e *Error) Error() string {
	return fmt.Sprintf("%d %s: %s [X-Request-Id: %s]", e.Status, e.Code, e.Message, e.RequestID)
}

func (e *Error) isTemporary() bool {
	return (e.Status == 408 || e.Status == 429 || e.Status == 503) && e.RetryAfter <= maxRetryAfter
}

type Client struct {
	url, key string
	http     http.Client
}

func NewClient(url, key string) *Client {
	// Makes a redirect an error, so that nothing is sent to another origin.
	noRedirects := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{strings.TrimSuffix(url, "/"), key, http.Client{Timeout: timeout, CheckRedirect: noRedirects}}
}

// Create creates one pet, also if it is called again with the same idempotency key.
func (c *Client) Create(ctx context.Context, pet Pet, idempotencyKey string) (created Pet, err error) {
	body, err := json.Marshal(pet)
	if err != nil {
		return Pet{}, err
	}
	header := http.Header{"Content-Type": {"application/json"}, "Idempotency-Key": {idempotencyKey}}
	_, err = c.send(ctx, http.MethodPost, c.url+"/pets", header, body, &created)
	return created, err
}

// List returns all pets, ordered by id.
func (c *Client) List(ctx context.Context) (pets []Pet, err error) {
	for url := c.url + "/pets?limit=100"; url != ""; {
		var page []Pet
		response, err := c.send(ctx, http.MethodGet, url, http.Header{}, nil, &page)
		if err != nil {
			return nil, err
		}
		pets = append(pets, page...)
		if url, err = nextURL(response); err != nil {
			return nil, err
		}
	}
	return pets, nil
}

func nextURL(response *http.Response) (string, error) {
	current := response.Request.URL
	for _, match := range link.FindAllStringSubmatch(strings.Join(response.Header.Values("Link"), ", "), -1) {
		target, relations := match[1], " "+strings.ToLower(match[2])+" "
		if !strings.Contains(relations, " next ") {
			continue
		}
		next, err := current.Parse(target)
		if err != nil {
			return "", err
		}
		if next.Scheme != current.Scheme || next.Host != current.Host {
			return "", fmt.Errorf("the next page is not on the origin of the API key: %s", next)
		}
		return next.String(), nil
	}
	return "", nil
}

// send repeats a request after temporary errors. Each attempt has the same headers and body.
func (c *Client) send(
	ctx context.Context, method, url string, header http.Header, body []byte, result any,
) (*http.Response, error) {
	header.Set("Authorization", "Bearer "+c.key)
	for attempt := 1; ; attempt++ {
		request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		request.Header = header.Clone()
		response, err := c.sendOnce(request, result)
		failure := new(Error)
		if err == nil || attempt == maxAttempts || errors.As(err, &failure) && !failure.isTemporary() {
			return response, err
		}
		// Exponential backoff, with jitter because other clients wait for the same moment.
		jitter, err := rand.Int(rand.Reader, big.NewInt(int64(250*time.Millisecond)<<attempt))
		if err != nil {
			return nil, err
		}
		select {
		case <-time.After(failure.RetryAfter + time.Duration(jitter.Int64())):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (c *Client) sendOnce(request *http.Request, result any) (*http.Response, error) {
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode < 300 && json.Unmarshal(content, result) == nil {
		return response, nil
	}
	failure := &Error{}
	if json.Unmarshal(content, failure) != nil || failure.Code == "" { // the response of a proxy, for example
		failure.Code, failure.Message = "unreadable", fmt.Sprintf("%.200s", content)
	}
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	failure.RetryAfter = time.Duration(seconds) * time.Second
	failure.Status, failure.RequestID = response.StatusCode, response.Header.Get("X-Request-Id")
	return nil, failure
}

var errUsage = errors.New("usage: pets [NAME CATEGORY_ID [IDEMPOTENCY_KEY]]; CATEGORY_ID is an integer")

func run(ctx context.Context, client *Client, args []string) error {
	if len(args) == 0 {
		pets, err := client.List(ctx)
		for _, pet := range pets {
			fmt.Printf("%d\t%s\t%d\n", pet.ID, pet.Name, pet.CategoryID)
		}
		return err
	}
	if len(args) == 1 || len(args) > 3 {
		return errUsage
	}
	categoryID, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return errUsage
	}
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return err
	}
	idempotencyKey := hex.EncodeToString(random)
	if len(args) > 2 {
		idempotencyKey = args[2]
	}
	pet, err := client.Create(ctx, Pet{Name: args[0], CategoryID: categoryID}, idempotencyKey)
	var failure *Error
	if errors.As(err, &failure) && failure.Code == "idempotency_key_reused" {
		return fmt.Errorf("use a new idempotency key for a new pet: %w", err)
	}
	if err == nil {
		fmt.Println(pet.ID)
	}
	return err
}

func main() {
	log.SetFlags(0)
	url, isSet := os.LookupEnv("PETSTORE_URL")
	if !isSet {
		url = "http://127.0.0.1:3000/v1"
	}
	if err := run(context.Background(), NewClient(url, os.Getenv("KEY")), os.Args[1:]); err != nil {
		log.Print(err)
		if errors.Is(err, errUsage) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}
