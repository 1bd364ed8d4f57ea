import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Lists the pets of a Pet Store service, or creates one. Needs Java 17 and Gson 2.10.
 *
 * <pre>
 * export KEY=psk_... PETSTORE_URL=https://petstore.example/v1
 * java -cp gson.jar Pets.java
 * java -cp gson.jar Pets.java NAME CATEGORY_ID [IDEMPOTENCY_KEY]
 * </pre>
 */
public final class Pets {
    record NewPet(String name, long categoryId, String status) {}

    record Pet(long id, String name, long categoryId, String status) {}

    /** The body of an error response. The code is for programs, and the message for people. */
    record Failure(String code, String message) {}

    static final class PetStoreException extends Exception {
        private static final long serialVersionUID = 1;
        final String code;

        PetStoreException(int status, Failure failure, String requestId) {
            super("%d %s: %s [X-Request-Id: %s]".formatted(status, failure.code(), failure.message(), requestId));
            code = failure.code();
        }
    }

    private static final int TIMEOUT = 30; // seconds, for an attempt with its body
    private static final int MAX_ATTEMPTS = 6;
    private static final int MAX_RETRY_AFTER = 60; // seconds
    private static final String PARAMETER = "\\s*;\\s*[\\w*-]+(?:\\s*=\\s*(?:\"[^\"]*\"|[^\\s;,\"]+))?";
    // A link of a Link header (RFC 8288): <TARGET>; rel="RELATIONS", with other parameters before and after it.
    private static final Pattern LINK = Pattern.compile("(?i)<([^<>]*)>(?:" + PARAMETER + ")*?"
            + "\\s*;\\s*rel\\s*=\\s*\"?([^\";,]*)\"?(?:" + PARAMETER + ")*");

    private final HttpClient http = HttpClient.newHttpClient(); // follows no redirects
    private final Gson gson = new Gson();
    private final String url;
    private final String key;

    Pets(String url, String key) {
        this.url = url.replaceFirst("/$", "");
        this.key = key;
    }

    /** Creates one pet, also if it is called again with the same idempotency key. */
    Pet create(NewPet pet, String idempotencyKey) throws IOException, InterruptedException, PetStoreException {
        var request = HttpRequest.newBuilder(URI.create(url + "/pets"))
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", idempotencyKey)
                .POST(BodyPublishers.ofString(gson.toJson(pet)));
        return gson.fromJson(send(request).body(), Pet.class);
    }

    /** Returns all pets, ordered by id. */
    List<Pet> list() throws IOException, InterruptedException, PetStoreException {
        var pets = new ArrayList<Pet>();
        for (var next = URI.create(url + "/pets?limit=100"); next != null;) {
            var response = send(HttpRequest.newBuilder(next));
            pets.addAll(List.of(gson.fromJson(response.body(), Pet[].class)));
            next = findNext(response);
        }
        return pets;
    }

    private static URI findNext(HttpResponse<?> response) throws IOException {
        var links = LINK.matcher(String.join(", ", response.headers().allValues("Link")));
        while (links.find()) {
            if (Stream.of(links.group(2).split("\\s+")).noneMatch("next"::equalsIgnoreCase)) continue;
            var current = response.uri();
            var next = current.resolve(links.group(1));
            if (current.getScheme().equals(next.getScheme()) && current.getAuthority().equals(next.getAuthority())) {
                return next;
            }
            throw new IOException("The next page is not on the origin of the API key: " + next);
        }
        return null;
    }

    private HttpResponse<String> send(HttpRequest.Builder builder)
            throws IOException, InterruptedException, PetStoreException {
        var request = builder.header("Authorization", "Bearer " + key).build();
        for (var attempt = 1;; attempt++) {
            var retryAfter = 0L;
            try {
                var response = sendOnce(request);
                var status = response.statusCode();
                if (status < 300) return response;
                var seconds = response.headers().firstValue("Retry-After").orElse("");
                retryAfter = seconds.matches("[0-9]{1,9}") ? Long.parseLong(seconds) : 0;
                var isTemporary = Set.of(408, 429, 503).contains(status) && retryAfter <= MAX_RETRY_AFTER;
                if (attempt == MAX_ATTEMPTS || !isTemporary) {
                    var requestId = response.headers().firstValue("X-Request-Id").orElse("none");
                    throw new PetStoreException(status, readFailure(response.body()), requestId);
                }
            } catch (IOException e) {
                if (attempt == MAX_ATTEMPTS) throw e;
            }
            // Exponential backoff, with jitter because other clients wait for the same moment.
            Thread.sleep(1000 * retryAfter + ThreadLocalRandom.current().nextLong(250L << attempt));
        }
    }

    private HttpResponse<String> sendOnce(HttpRequest request) throws IOException, InterruptedException {
        var response = http.sendAsync(request, BodyHandlers.ofString());
        try {
            return response.get(TIMEOUT, TimeUnit.SECONDS); // HttpRequest.timeout does not include the body
        } catch (ExecutionException | TimeoutException e) {
            response.cancel(true);
            throw new IOException("No response from %s: %s".formatted(request.uri(), e), e);
        }
    }

    private Failure readFailure(String body) {
        try {
            var failure = gson.fromJson(body, Failure.class);
            if (failure != null && failure.code() != null) return failure;
        } catch (JsonParseException e) {
            // The response of a proxy, for example.
        }
        return new Failure("unreadable", body.substring(0, Math.min(body.length(), 200)));
    }

    public static void main(String[] args) throws InterruptedException {
        var url = System.getenv().getOrDefault("PETSTORE_URL", "http://127.0.0.1:3000/v1");
        var client = new Pets(url, System.getenv().getOrDefault("KEY", ""));
        try {
            if (args.length == 0) {
                for (var pet : client.list()) System.out.printf("%d\t%s\t%d%n", pet.id(), pet.name(), pet.categoryId());
            } else if (args.length > 3 || args.length < 2 || !args[1].matches("-?\\d+")) {
                System.err.println("usage: Pets [NAME CATEGORY_ID [IDEMPOTENCY_KEY]]; CATEGORY_ID is an integer");
                System.exit(2);
            } else {
                var idempotencyKey = args.length > 2 ? args[2] : UUID.randomUUID().toString();
                var pet = client.create(new NewPet(args[0], Long.parseLong(args[1]), null), idempotencyKey);
                System.out.println(pet.id());
            }
        } catch (PetStoreException e) {
            if (e.code.equals("idempotency_key_reused")) System.err.println("Use a new idempotency key for a new pet.");
            System.err.println(e.getMessage());
            System.exit(1);
        } catch (IOException | JsonParseException | NumberFormatException e) {
            System.err.println(e);
            System.exit(1);
        }
    }
}
