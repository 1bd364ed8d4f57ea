// NestJS with its Fastify adapter, as in its documentation: decorated classes define validation and document. `npm run
// build` compiles it, because Node's type stripping does not support decorators.
import "reflect-metadata";
import {
  type ArgumentsHost,
  Body,
  type CanActivate,
  Catch,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  HttpException,
  Module,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Query,
  UnauthorizedException,
  ValidationPipe,
} from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter, type NestFastifyApplication } from "@nestjs/platform-fastify";
import { ApiBearerAuth, ApiProperty, ApiPropertyOptional, DocumentBuilder, SwaggerModule } from "@nestjs/swagger";
import { Type } from "class-transformer";
import { IsIn, IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min } from "class-validator";
import * as store from "./store.ts";

const statuses = ["available", "pending", "sold"];

class ListQuery {
  @ApiPropertyOptional({ type: "integer", minimum: 1, maximum: 100 })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  limit = 20;

  @ApiPropertyOptional({ enum: statuses })
  @IsOptional()
  @IsIn(statuses)
  status?: store.Status;

  @ApiPropertyOptional({ maxLength: 200 })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  cursor?: string;
}

class NewPet {
  @ApiProperty()
  @IsString()
  @MaxLength(1000)
  @Matches(/^[^\u0000]*$/)
  name!: string;

  @ApiProperty({ type: "integer" })
  @IsInt()
  categoryId!: number;

  @ApiPropertyOptional({ enum: statuses })
  @IsOptional()
  @IsIn(statuses)
  status?: store.Status;
}

class KeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (store.isAuthorized(context.switchToHttp().getRequest().headers.authorization)) return true;
    throw new UnauthorizedException("A valid API key is needed.");
  }
}

@Catch(HttpException)
class FailureFilter implements ExceptionFilter<HttpException> {
  catch(exception: HttpException, host: ArgumentsHost): void {
    const { message = exception.message } = exception.getResponse() as { message?: string | string[] };
    const status = exception.getStatus();
    host
      .switchToHttp()
      .getResponse()
      .code(status)
      .send({ code: exception.name, message: String(message), status });
  }
}

@ApiBearerAuth()
@Controller("pets")
class PetsController {
  @Get()
  list(@Query() query: ListQuery): store.Pet[] {
    return store.list(query);
  }

  @Post()
  create(@Body() pet: NewPet): store.Pet {
    return store.create(pet);
  }

  @Get(":petId")
  get(@Param("petId", ParseIntPipe) petId: number): store.Pet {
    const found = store.find(petId);
    if (!found) throw new NotFoundException(`No pet has the id ${petId}.`);
    return found;
  }
}

@Module({ controllers: [PetsController] })
class AppModule {}

const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter(), { logger: false });
app.setGlobalPrefix("v1");
app.useGlobalGuards(new KeyGuard());
app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true }));
app.useGlobalFilters(new FailureFilter());
const description = new DocumentBuilder().setTitle("Pet Store").setVersion("1.0.0").addBearerAuth().build();
SwaggerModule.setup("docs", app, () => SwaggerModule.createDocument(app, description), { ui: false });
await app.listen(Number(process.env.PORT), "127.0.0.1");
